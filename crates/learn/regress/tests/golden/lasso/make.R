# Frozen solutions of glmnet for tests/lasso.rs; see make.py. Each line of NAME.SETTING.glmnet: lambda, intercept, coefficients.
# A first line names the setting: intercept, standardise, alpha, non-negative, then the penalty factors.
library(glmnet)
numbers <- function(x) paste(sprintf("%.17g", x), collapse = " ")
glmnet.control(fdev = 0, devmax = 1, eps = 1e-12)

settings <- list(
  plain = list(TRUE, TRUE, 1, FALSE, FALSE),
  origin = list(FALSE, TRUE, 1, FALSE, FALSE),
  raw = list(TRUE, FALSE, 1, FALSE, FALSE),
  positive = list(TRUE, TRUE, 1, TRUE, FALSE),
  weighted = list(TRUE, TRUE, 1, FALSE, TRUE),
  elastic = list(TRUE, TRUE, 0.5, FALSE, FALSE))
wanted <- list(
  counts = c("plain", "origin", "positive", "weighted"), relative = c("plain", "origin", "positive"),
  `zero-weights` = c("plain", "raw"), duplicates = c("plain", "positive"), constant = "plain", sum = c("plain", "raw"),
  `zero-rows` = c("plain", "origin"), `more-columns` = c("plain", "positive"), ranges = "plain", ties = c("plain", "raw"),
  diabetes = c("plain", "weighted", "positive"), drops = c("plain", "origin"),
  mixed = c("plain", "raw", "elastic", "positive"))

for (name in names(wanted)) {
  d <- read.csv(paste0(name, ".csv"))
  x <- as.matrix(d[, -(1:2)])
  for (setting in wanted[[name]]) {
    s <- settings[[setting]]
    p <- ncol(x)
    # glmnet rescales penalty factors to sum to p; these do already. One column goes free.
    factors <- if (s[[5]]) { f <- seq(0, 2, length.out = p); f * p / sum(f) } else rep(1, p)
    arguments <- list(x = x, y = d$y, weights = d$w, alpha = s[[3]], intercept = s[[1]], standardize = s[[2]],
      lower.limits = if (s[[4]]) 0 else -Inf, penalty.factor = factors, thresh = 1e-13, maxit = 1e8)
    lambda <- do.call(glmnet, c(arguments, nlambda = 12, lambda.min.ratio = 1e-3))$lambda
    fit <- do.call(glmnet, c(arguments, list(lambda = lambda)))
    lines <- paste("setting", as.integer(s[[1]]), as.integer(s[[2]]), s[[3]], as.integer(s[[4]]), numbers(factors))
    for (k in seq_along(fit$lambda))
      lines <- c(lines, numbers(c(fit$lambda[k], fit$a0[k], as.vector(fit$beta[, k]))))
    writeLines(lines, paste0(name, ".", setting, ".glmnet"))
  }
}
