(* what: bookings of rooms sorted, those that overlap made one, and the free time between them
   family: intervals
   sizes: 20..1500/12 *)
let rec merge = function
  | (room, a, b) :: (room', c, d) :: rest when room = room' && c <= b -> merge ((room, a, max b d) :: rest)
  | first :: rest -> first :: merge rest
  | [] -> []

let rec free = function
  | (room, _, b) :: ((room', c, _) :: _ as rest) -> (if room = room' then c - b else 0) + free rest
  | _ -> 0

let rooms = [| "attic"; "cellar"; "garden"; "hall" |]

let input n =
  List.init n (fun i ->
    let start = i * 7919 mod 100003 in
    (rooms.(i * i mod 7 mod 4), start, start + 5 + (i * 13 mod 60)))

let run bookings =
  let merged = merge (List.sort compare bookings) in
  (List.length merged, free merged)
