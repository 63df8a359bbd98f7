(* what: the check sum CRC-32 of a text, by a table of bytes
   family: bits
   sizes: 1000..40000/12 *)
let table =
  Array.init 256 (fun n ->
    let c = ref n in
    for _ = 1 to 8 do
      c := if !c land 1 = 1 then 0xEDB88320 lxor (!c lsr 1) else !c lsr 1
    done;
    !c)

let crc text =
  let c = ref 0xFFFFFFFF in
  for i = 0 to String.length text - 1 do
    c := table.((!c lxor Char.code text.[i]) land 0xFF) lxor (!c lsr 8)
  done;
  !c lxor 0xFFFFFFFF

let input n = String.init n (fun i -> Char.chr (((i * i) + (i / 7)) land 127))
let run text = crc text
