# Frozen oracles for the tests of `pricetag-regress`. Run in this directory: Rscript make.R
# Made with R 4.2.2 and nnls 1.4. For every case NAME.csv holds y, w and the columns, NAME.txt what R says.
library(nnls)
options(digits = 7, width = 200)
set.seed(20261121)

numbers <- function(x) paste(sprintf("%.17g", x), collapse = " ")

write_data <- function(name, d) {
  out <- as.data.frame(lapply(d, function(v) sprintf("%.17g", v)))
  write.csv(out, paste0(name, ".csv"), row.names = FALSE, quote = FALSE)
}

lm_case <- function(name, d, intercept) {
  write_data(name, d)
  x <- setdiff(names(d), c("y", "w"))
  right <- paste(x, collapse = " + ")
  f <- as.formula(paste("y ~", if (intercept) "1 +" else "0 +", right))
  weighted <- any(d$w != 1)
  fit <- if (weighted) lm(f, d, weights = w) else lm(f, d)
  s <- suppressWarnings(summary(fit))
  out <- c(
    paste("intercept", as.integer(intercept)),
    paste("rank", fit$rank),
    paste("df", fit$df.residual),
    paste("sigma", numbers(s$sigma)),
    paste("r2", numbers(c(s$r.squared, s$adj.r.squared))),
    paste("f", if (is.null(s$fstatistic)) "none" else numbers(c(s$fstatistic, pf(s$fstatistic[1], s$fstatistic[2], s$fstatistic[3], lower.tail = FALSE)))),
    paste("quantiles", numbers(quantile(s$residuals))))
  for (term in names(coef(fit))) {
    row <- if (term %in% rownames(s$coefficients)) numbers(s$coefficients[term, ]) else "NA"
    out <- c(out, paste("coefficient", term, row))
  }
  writeLines(out, paste0(name, ".txt"))
  if (fit$df.residual > 5) {
    printed <- capture.output(suppressWarnings(print(s)))
    from <- grep("^(Weighted )?Residuals:", printed)
    writeLines(printed[from:length(printed)], paste0(name, ".print"))
  }
}

nnls_case <- function(name, d) {
  write_data(name, d)
  x <- setdiff(names(d), c("y", "w"))
  a <- sqrt(d$w) * as.matrix(d[, x])
  fit <- nnls(a, sqrt(d$w) * d$y)
  writeLines(c(paste("x", numbers(fit$x)), paste("norm", numbers(sqrt(fit$deviance)))), paste0(name, ".txt"))
}

counts <- function(n, p, mean = 200) {
  m <- as.data.frame(matrix(rpois(n * p, mean * rep(2^runif(p, -3, 3), each = n)), n, p))
  names(m) <- paste0("b", 1:p)
  m
}
relative <- function(y) 1 / pmax(abs(y), quantile(abs(y), 0.05))^2

# Lata's three blocks: bb1 and bb3 run equally often.
n <- 40
bb1 <- rep(c(800, 1600, 2400, 3200), each = 10)
bb2 <- rbinom(n, bb1, runif(n, 0.2, 0.8))
d <- data.frame(y = 30 * bb1 + 12 * bb2 + rnorm(n, 0, 500), w = 1, bb1, bb2, bb3 = bb1)
lm_case("lm-lata-plain", d, FALSE)
lm_case("lm-lata-intercept", d, TRUE)
d$w <- relative(d$y)
lm_case("lm-lata-relative", d, FALSE)

d <- counts(60, 6)
d <- cbind(y = as.vector(as.matrix(d) %*% c(3, 0.5, 10, 1, 7, 0.1)) * exp(rnorm(60, 0, 0.03)), w = 1, d)
lm_case("lm-counts-plain", d, FALSE)
lm_case("lm-counts-intercept", d, TRUE)
d$w <- relative(d$y)
lm_case("lm-counts-relative", d, FALSE)
lm_case("lm-counts-relative-intercept", d, TRUE)
d$w[c(3, 17)] <- 0
lm_case("lm-zero-weights", d, FALSE)
d$w <- 1
d$b4 <- d$b1 + 2 * d$b2
d$b6 <- 5
lm_case("lm-sum-and-constant", d, TRUE)
lm_case("lm-sum-plain", d, FALSE)
d$b3 <- 0
lm_case("lm-zero-column", d, FALSE)

d <- counts(5, 8)
d <- cbind(y = rowSums(d) + 1:5, w = 1, d)
lm_case("lm-more-columns-than-rows", d, FALSE)
lm_case("lm-more-columns-intercept", d, TRUE)
lm_case("lm-one-row", d[1, ], FALSE)
lm_case("lm-two-rows", d[1:2, c("y", "w", "b1")], FALSE)

d <- counts(30, 4)
d$b2 <- d$b2 * 1e12
d$b3 <- d$b3 * 1e-9
d <- cbind(y = 2 * d$b1 + 3e-12 * d$b2 + 1e9 * d$b3 + rnorm(30), w = 1, d)
lm_case("lm-ranges", d, FALSE)
lm_case("lm-ranges-intercept", d, TRUE)

d <- data.frame(y = rnorm(25, 1000, 5), w = runif(25, 0.5, 2), near1 = 1:25, near2 = 1:25 + rnorm(25) * 1e-5, sq = (1:25)^2)
lm_case("lm-near-collinear", d, TRUE)
d$near2 <- d$near1 + rnorm(25) * 1e-9
lm_case("lm-below-tolerance", d, TRUE)
d <- data.frame(y = c(0.001, 0.0021, 0.0029, 0.0042, 0.0051, 0.0058, 0.0071, 0.0083), w = 1, x = 1:8)
lm_case("lm-small-numbers", d, TRUE)
lm_case("lm-intercept-and-noise", data.frame(y = rnorm(20), w = 1, x = rnorm(20), z = rnorm(20)), TRUE)
lm_case("lm-longley", { l <- longley; data.frame(y = l$Employed, w = 1, l[, 1:6]) }, TRUE)
lm_case("lm-cars", data.frame(y = cars$dist, w = 1, speed = cars$speed), TRUE)
lm_case("lm-mtcars", data.frame(y = mtcars$mpg, w = 1, mtcars[, 2:11]), TRUE)

for (k in 1:4) {
  size <- list(c(50, 8), c(200, 30), c(40, 60), c(120, 126))[[k]]
  d <- counts(size[1], size[2])
  price <- pmax(rnorm(size[2], 0.5, 1), 0)
  y <- as.vector(as.matrix(d) %*% price) * exp(rnorm(size[1], 0, 0.05))
  nnls_case(paste0("nnls-", size[1], "x", size[2]), cbind(y = y, w = if (k == 2) relative(y) else 1, d))
}
d <- counts(30, 5)
nnls_case("nnls-all-negative", cbind(y = -rowSums(d), w = 1, d))
