# Freezes R's leverages (hatvalues) beside the data they belong to. R 4.2.2. Run in this folder: Rscript make.R
# Each CSV: y, w, then the columns without an intercept; last column the leverage of the row.
freeze <- function(name, X, y, w) {
  fit <- lm(y ~ 0 + ., data.frame(X), weights = w)
  h <- hatvalues(fit)
  text <- function(v) formatC(v, digits = 17, format = "g")
  d <- cbind(y = text(y), w = text(w), apply(X, 2, text), h = text(h))
  write.csv(d, paste0("leverage-", name, ".csv"), row.names = FALSE, quote = FALSE)
}
s <- as.matrix(stackloss)
freeze("stackloss", s[, 1:3], s[, 4], rep(1, nrow(s)))
set.seed(20261122)
n <- 40
size <- exp(rnorm(n, 5, 1.5))
counts <- cbind(a = round(size), b = round(size * runif(n, 2, 4)), c = rpois(n, 30), base = 1, rare = c(rep(0, n - 1), 7))
y <- as.vector(counts %*% c(3, 1, 20, 400, 50)) * (1 + 0.03 * rnorm(n))
freeze("counts", counts, y, rep(1, n))
freeze("counts-relative", counts, y, 1 / y^2)
aliased <- cbind(counts[, 1:2], sum = counts[, 1] + counts[, 2], counts[, 3:4])
freeze("aliased", aliased, y, 1 / y^2)
# With a constant beside the columns: one row far out, as its leverage without the constant does not tell.
far <- c(1000:1009, 1100)
fit <- lm(y ~ x, data.frame(x = far, y = 3 * far + 50))
d <- data.frame(y = 3 * far + 50, w = 1, x = far, h = formatC(hatvalues(fit), digits = 17, format = "g"))
write.csv(d, "leverage-constant.csv", row.names = FALSE, quote = FALSE)
