(* what: the shortest way through a maze, by breadth-first search with a queue
   family: graphs
   sizes: 8..85/12 *)
let steps = [ (0, 1); (1, 0); (0, -1); (-1, 0) ]

let shortest maze =
  let height = Array.length maze and width = String.length maze.(0) in
  let distance = Array.make_matrix height width (-1) in
  let queue = Queue.create () in
  distance.(0).(0) <- 0;
  Queue.add (0, 0) queue;
  while not (Queue.is_empty queue) do
    let y, x = Queue.pop queue in
    List.iter
      (fun (dy, dx) ->
        let y' = y + dy and x' = x + dx in
        if y' >= 0 && y' < height && x' >= 0 && x' < width && maze.(y').[x'] <> '#' && distance.(y').(x') < 0
        then begin
          distance.(y').(x') <- distance.(y).(x) + 1;
          Queue.add (y', x') queue
        end)
      steps
  done;
  distance.(height - 1).(width - 1)

let wall n i j = i mod 2 = 1 && (i + j) mod 9 > 0 && if i mod 4 = 1 then j < n - 1 else j > 0

let input n =
  let n = n + 1 - (n mod 2) in
  Array.init n (fun i -> String.init n (fun j -> if wall n i j then '#' else '.'))

let run maze = shortest maze
