(* what: words in a prefix tree with arrays of children, and how many begin with a given one
   family: mutable trees
   sizes: 50..800/12 *)
type node = { mutable ends : bool; mutable below : int; children : node option array }

let node () = { ends = false; below = 0; children = Array.make 26 None }
let index c = Char.code c - Char.code 'a'

let insert root word =
  let here = ref root in
  String.iter
    (fun c ->
      let i = index c in
      let next =
        match !here.children.(i) with
        | Some child -> child
        | None ->
          let child = node () in
          !here.children.(i) <- Some child;
          child
      in
      next.below <- next.below + 1;
      here := next)
    word;
  !here.ends <- true

let beginning_with root prefix =
  let rec walk here i =
    if i = String.length prefix then here.below
    else match here.children.(index prefix.[i]) with None -> 0 | Some child -> walk child (i + 1)
  in
  walk root 0

let word i = String.init (3 + (i mod 4)) (fun k -> Char.chr (97 + ((i / (k + 1) * 7) + (k * i)) mod 11))
let input n = List.init n word

let run words =
  let root = node () in
  List.iter (insert root) words;
  List.fold_left (fun sum word -> sum + beginning_with root (String.sub word 0 2)) 0 words
