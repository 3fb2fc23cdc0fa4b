(* A bot in OCaml: plays any of its legal moves. Compile it with `ocamlfind ocamlopt` or run it with
   `referee match "ocaml bot.ml" random`. *)

let starts_with prefix text =
  String.length text >= String.length prefix && String.sub text 0 (String.length prefix) = prefix

(* The position behind the first occurrence of the mark. *)
let rec after mark text from =
  if String.sub text from (String.length mark) = mark then from + String.length mark
  else after mark text (from + 1)

let moves_of line =
  let start = after "\"legal_moves\":[\"" line 0 in
  let stop = String.index_from line start ']' in
  String.sub line start (stop - start - 1)
  |> String.split_on_char '"'
  |> List.filter (fun text -> text <> ",")

let choose moves = List.nth moves (Random.int (List.length moves)) (* Your strategy goes here. *)

let () =
  Random.self_init ();
  try
    while true do
      let line = input_line stdin in
      if starts_with "{\"type\":\"turn\"," line then print_endline (choose (moves_of line))
    done
  with End_of_file -> ()
