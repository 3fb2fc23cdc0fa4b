# A bot in R: plays any of its legal moves. Run it with `referee match "Rscript bot.R" random`.

moves_of <- function(line) {
  list <- sub('.*"legal_moves":\\["(.*?)"\\].*', "\\1", line, perl = TRUE)
  strsplit(list, '","', fixed = TRUE)[[1]]
}

input <- file("stdin", "r")
while (length(line <- readLines(input, n = 1)) > 0) {
  if (startsWith(line, '{"type":"turn",')) {
    moves <- moves_of(line)
    cat(moves[sample.int(length(moves), 1)], "\n", sep = "") # Your strategy goes here.
    flush(stdout())
  }
}
