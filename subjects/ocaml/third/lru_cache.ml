(* what: a cache of 32 entries that drops what was not used for longest
   family: tables
   sizes: 200..8000/12 *)
type entry = { key : int; value : int; mutable newer : entry option; mutable older : entry option }

type cache = {
  capacity : int;
  table : (int, entry) Hashtbl.t;
  mutable newest : entry option;
  mutable oldest : entry option;
  mutable hits : int;
}

let create capacity = { capacity; table = Hashtbl.create 64; newest = None; oldest = None; hits = 0 }

let unlink cache e =
  (match e.newer with None -> cache.newest <- e.older | Some other -> other.older <- e.older);
  (match e.older with None -> cache.oldest <- e.newer | Some other -> other.newer <- e.newer);
  e.newer <- None;
  e.older <- None

let put_first cache e =
  e.older <- cache.newest;
  (match cache.newest with None -> cache.oldest <- Some e | Some other -> other.newer <- Some e);
  cache.newest <- Some e

let get cache compute key =
  match Hashtbl.find_opt cache.table key with
  | Some e ->
    cache.hits <- cache.hits + 1;
    unlink cache e;
    put_first cache e;
    e.value
  | None ->
    (if Hashtbl.length cache.table >= cache.capacity then
       match cache.oldest with
       | None -> ()
       | Some e ->
         unlink cache e;
         Hashtbl.remove cache.table e.key);
    let e = { key; value = compute key; newer = None; older = None } in
    Hashtbl.add cache.table key e;
    put_first cache e;
    e.value

let input n = Array.init n (fun i -> if i mod 3 = 0 then i * i mod 101 else i mod 24)

let run keys =
  let cache = create 32 in
  let sum = ref 0 in
  Array.iter (fun key -> sum := !sum + get cache (fun k -> k * k) key) keys;
  (!sum, cache.hits)
