# R's side of scripts/bench-learning/robust.sh: prints `name seconds detail` per line.
suppressMessages({ library(quantreg); library(MASS) })
folder <- commandArgs(TRUE)[1]
load <- function(name, rows, columns) matrix(readBin(file.path(folder, paste0(name, ".f64")), "double", rows * (columns + 1)), rows)
time <- function(name, run, runs = 5) {
  best <- Inf
  for (i in 1:runs) { t <- system.time(detail <- run())[["elapsed"]]; best <- min(best, t) }
  cat(name, sprintf("%.4f", best), detail, "\n")
}
d <- load("counts", 3840, 50); X <- cbind(1, d[, 1:50]); y <- d[, 51]
total <- function(b) sprintf("objective %.9e", sum(abs(y - X %*% b)))
time("rq-br", function() total(suppressWarnings(rq.fit.br(X, y, tau = 0.5))$coefficients))
time("rq-fn", function() total(rq.fit.fnb(X, y, tau = 0.5)$coefficients))
time("rq-fnc", function() total(pmax(rq.fit.fnc(X, y, R = diag(51), r = rep(-1e-9, 51), tau = 0.5)$coefficients, 0)))
time("rlm", function() { f <- rlm(X, y, acc = 1e-4, maxit = 200); sprintf("x1 %.9f", f$coefficients[2]) })
time("rlm-tight", function() { f <- rlm(X, y, acc = 1e-12, maxit = 2000); sprintf("x1 %.9f", f$coefficients[2]) })
p <- load("power", 3840, 1); p <- data.frame(x1 = p[, 1], y = p[, 2])
time("nls", function() { f <- nls(y ~ c + k * x1^e, p, list(c = 400, k = 5, e = 1.2), weights = 1 / y^2); sprintf("rss %.9f (closer start)", deviance(f)) })
