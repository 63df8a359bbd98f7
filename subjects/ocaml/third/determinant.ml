(* what: determinant of a matrix of floats, by elimination with pivots
   family: linear algebra
   sizes: 8..96/12 *)
exception Singular

let swap m i j =
  let row = m.(i) in
  m.(i) <- m.(j);
  m.(j) <- row

let determinant matrix =
  let m = Array.map Array.copy matrix in
  let n = Array.length m in
  let det = ref 1.0 in
  try
    for k = 0 to n - 1 do
      let pivot = ref k in
      for i = k + 1 to n - 1 do
        if abs_float m.(i).(k) > abs_float m.(!pivot).(k) then pivot := i
      done;
      if m.(!pivot).(k) = 0.0 then raise Singular;
      if !pivot <> k then begin
        swap m k !pivot;
        det := -. !det
      end;
      det := !det *. m.(k).(k);
      for i = k + 1 to n - 1 do
        let factor = m.(i).(k) /. m.(k).(k) in
        for j = k to n - 1 do
          m.(i).(j) <- m.(i).(j) -. (factor *. m.(k).(j))
        done
      done
    done;
    !det
  with Singular -> 0.0

let input n =
  Array.init n (fun i -> Array.init n (fun j -> (if i = j then 2.0 else 0.0) +. (1.0 /. float_of_int (1 + ((i * 3 + j * j) mod 17)))))

let run matrix = determinant matrix
