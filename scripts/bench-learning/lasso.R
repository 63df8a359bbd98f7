# Peers in R for lasso.sh: prints `name seconds detail` per line. glmnet 4.1, nnls 1.4.
suppressMessages({library(glmnet); library(nnls)})
folder <- commandArgs(TRUE)[1]
sets <- list(small = c(3840, 126, 1e-4), large = c(3045, 5516, 1e-2))

least <- function(times, f) {
  best <- Inf
  for (i in seq_len(times)) best <- min(best, system.time(value <- f())[["elapsed"]])
  list(seconds = best, value = value)
}
# Objective at every lambda of a fit, on the scale glmnet minimises.
objective <- function(fit, x, y, deviation) {
  b <- as.matrix(fit$beta)
  r <- y - x %*% b - rep(fit$a0, each = nrow(x))
  colSums(r^2) / (2 * nrow(x)) + fit$lambda * colSums(abs(b) * deviation)
}
for (name in names(sets)) {
  s <- sets[[name]]
  v <- readBin(file.path(folder, paste0(name, ".bin")), "double", s[1] * (s[2] + 1), endian = "little")
  x <- matrix(v[seq_len(s[1] * s[2])], s[1], s[2])
  y <- v[-seq_len(s[1] * s[2])]
  lambda <- scan(file.path(folder, paste0(name, ".lambda")), quiet = TRUE)
  times <- if (name == "small") 9 else 2
  glmnet.control(factory = TRUE)
  d <- least(times, function() glmnet(x, y, lambda.min.ratio = s[3]))
  cat(sprintf("%s-default %.5f %d λ\n", name, d$seconds, length(d$value$lambda)))
  cv <- least(if (name == "small") 3 else 1, function() cv.glmnet(x, y, lambda.min.ratio = s[3], nfolds = 10))
  cat(sprintf("%s-cv %.5f %d λ\n", name, cv$seconds, length(cv$value$lambda)))
  glmnet.control(fdev = 0, devmax = 1)
  grid <- least(times, function() glmnet(x, y, lambda = lambda))
  tight <- least(times, function() glmnet(x, y, lambda = lambda, thresh = 1e-12, maxit = 1e7))
  deviation <- apply(x, 2, function(c) sqrt(mean((c - mean(c))^2)))
  # The least objective, from the exact path.
  o <- scan(file.path(folder, paste0(name, ".objective")), quiet = TRUE)
  excess <- function(fit) { f <- objective(fit, x, y, deviation); m <- seq_len(min(length(f), length(o))); max(f[m] / o[m] - 1) }
  cat(sprintf("%s-grid %.5f objective up to %.0e above optimum\n", name, grid$seconds, excess(grid$value)))
  cat(sprintf("%s-tight %.5f objective up to %.0e above optimum\n", name, tight$seconds, excess(tight$value)))
  if (name == "small") {
    n <- least(5, function() nnls(x, y))
    cat(sprintf("small-nnls %.5f %d positive, ‖r‖ = %.10e\n", n$seconds, sum(n$value$x > 0), sqrt(n$value$deviance)))
  }
}
