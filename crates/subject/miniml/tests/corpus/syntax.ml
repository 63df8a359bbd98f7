(*** missing expression ***)
let x = 1 +
(*** missing then ***)
let f x = if x 1 else 2
(*** missing in ***)
let f x = let y = x y
(*** unclosed parenthesis ***)
let x = (1, 2
(*** unclosed list ***)
let x = [1; 2
(*** unclosed string ***)
let s = "abc
(*** unclosed comment ***)
let x = 1 (* never
(*** stray closing ***)
let x = 1)
(*** two operators ***)
let x = 1 * / 2
(*** missing arrow ***)
let f = fun x x
(*** match without with ***)
let f x = match x | 1 -> 2
(*** empty match ***)
let f x = match x with
(*** let without name ***)
let = 3
(*** number as name ***)
let 3x = 4
(*** capitalised function ***)
let F x = x
(*** type without body ***)
type t = 
(*** constructor in lower case ***)
type t = a | of int
(*** record without types ***)
type t = { a; b }
(*** double equals sign ***)
let x = = 3
(*** end without begin ***)
let x = 1 end
(*** missing end ***)
module M = struct let x = 1
(*** module in lower case ***)
module m = struct end
(*** bad character ***)
let c = 'ab'
(*** try without with ***)
let x = try 1
(*** when alone ***)
let x = when true
(*** rec twice ***)
let rec rec f = f
(*** and first ***)
and x = 1
(*** comma at the end ***)
let x = 1, 2,
(*** empty parentheses with operator ***)
let x = ( + ) + ( * 2
(*** integer too large ***)
let x = 4611686018427387904
(*** if without condition ***)
let x = if then 1 else 2
(*** record with semicolon only ***)
let x = { ; }
(*** as without name ***)
let f (x as) = x
(*** type variable alone ***)
let x = 'a
(*** exception in lower case ***)
exception e
(*** open without name ***)
open
(*** of without type ***)
type t = A of
(*** arrow in expression ***)
let x = 1 -> 2
(*** bar in expression ***)
let x = 1 | 2
