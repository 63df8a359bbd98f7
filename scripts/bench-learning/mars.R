# Data and earth's times for mars.sh: Rscript mars.R make FILE N P SEED | Rscript mars.R time FILE DEGREE NK THRESH REPEATS WEIGHTED
arguments <- commandArgs(TRUE)
file <- arguments[2]
if (arguments[1] == "make") {
  n <- as.integer(arguments[3])
  p <- as.integer(arguments[4])
  set.seed(as.integer(arguments[5]))
  x <- matrix(runif(n * p), n)
  y <- 10 * sin(pi * x[, 1] * x[, 2]) + 20 * (x[, 3] - 0.5)^2 + 10 * x[, 4] + 5 * x[, 5] + rnorm(n, 0, 0.1)
  write.csv(data.frame(y = y, w = 1 / pmax(abs(y), quantile(abs(y), 0.05))^2, x), file, row.names = FALSE, quote = FALSE)
} else {
  suppressMessages(library(earth))
  number <- as.numeric(arguments[3:7])
  data <- read.csv(file)
  call <- list(
    x = as.matrix(data[, -(1:2)]), y = data$y, degree = number[1], nk = number[2], thresh = number[3], fast.k = 0
  )
  if (number[5] == 1) call$weights <- data$w / mean(data$w)
  best <- Inf
  for (i in seq_len(number[4])) {
    seconds <- system.time(model <- do.call(earth, call))[["elapsed"]]
    best <- min(best, seconds)
  }
  cat(sprintf("%.6f %d %d %.9f\n", best, nrow(model$dirs), length(model$selected.terms), model$grsq))
}
