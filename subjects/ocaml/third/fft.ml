(* what: Fourier transform of a signal, by halves
   family: signals
   sizes: 4 8 16 32 64 128 256 512 1024 2048 4096 *)
type complex = { re : float; im : float }

let add a b = { re = a.re +. b.re; im = a.im +. b.im }
let subtract a b = { re = a.re -. b.re; im = a.im -. b.im }
let times a b = { re = (a.re *. b.re) -. (a.im *. b.im); im = (a.re *. b.im) +. (a.im *. b.re) }
let pi = 4.0 *. atan 1.0

let unit_root k n =
  let angle = -2.0 *. pi *. float_of_int k /. float_of_int n in
  { re = cos angle; im = sin angle }

let rec fft signal =
  let n = Array.length signal in
  if n = 1 then signal
  else
    let half = n / 2 in
    let even = fft (Array.init half (fun i -> signal.(2 * i))) in
    let odd = fft (Array.init half (fun i -> signal.((2 * i) + 1))) in
    let turned = Array.mapi (fun k x -> times (unit_root k n) x) odd in
    Array.init n (fun k ->
      if k < half then add even.(k) turned.(k) else subtract even.(k - half) turned.(k - half))

let input n = Array.init n (fun i -> { re = float_of_int (i * i mod 7); im = 0.0 })
let run signal = fft signal
