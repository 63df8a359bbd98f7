# Frozen oracles for backward elimination, the filters, the exact solve, large fits and the digits of the NIST sets.
# Run in this directory: Rscript make.R        Made with R 4.2.2 (base packages only).
options(digits = 7, width = 200)
set.seed(20261122)

numbers <- function(x) paste(sprintf("%.17g", x), collapse = " ")

write_data <- function(name, d) {
  out <- as.data.frame(lapply(d, function(v) sprintf("%.17g", v)))
  write.csv(out, paste0(name, ".csv"), row.names = FALSE, quote = FALSE)
}

counts <- function(n, p, mean = 200) {
  m <- as.data.frame(matrix(rpois(n * p, mean * rep(2^runif(p, -3, 3), each = n)), n, p))
  names(m) <- paste0("b", 1:p)
  m
}
relative <- function(y) 1 / pmax(abs(y), quantile(abs(y), 0.05))^2

# --- backward elimination: columns y, w and the features; NAME.txt has the way of step() ---
step_case <- function(name, d, intercept, k = 2) {
  write_data(name, d)
  x <- setdiff(names(d), c("y", "w"))
  f <- as.formula(paste("y ~", if (intercept) "1 +" else "0 +", paste(x, collapse = " + ")))
  # step() refits in the calling frame.
  assign("d", d, globalenv()); assign("f", f, globalenv())
  fit <- if (any(d$w != 1)) eval(quote(lm(f, d, weights = w)), globalenv()) else eval(quote(lm(f, d)), globalenv())
  s <- step(fit, direction = "backward", trace = 0, k = k)
  a <- s$anova
  out <- c(paste("intercept", as.integer(intercept)), paste("penalty", numbers(k)), paste("aic", numbers(a$AIC[1])))
  for (i in seq_len(nrow(a))[-1])
    out <- c(out, paste("drop", sub("^- ", "", a$Step[i]), a$Df[i], numbers(a[["Resid. Dev"]][i]), numbers(a$AIC[i])))
  cf <- coef(s)
  for (term in names(cf)) out <- c(out, paste("kept", term, numbers(cf[[term]])))
  writeLines(out, paste0(name, ".txt"))
}

step_case("step-mtcars", data.frame(y = mtcars$mpg, w = 1, mtcars[, 2:11]), TRUE)
step_case("step-longley", data.frame(y = longley$Employed, w = 1, longley[, 1:6]), TRUE)
step_case("step-swiss", data.frame(y = swiss$Fertility, w = 1, swiss[, 2:6]), TRUE)
d <- counts(80, 12)
price <- c(3, 0, 10, 0, 7, 0.1, 0, 0, 2, 0, 0, 0.5)
d <- cbind(y = as.vector(as.matrix(d) %*% price) * exp(rnorm(80, 0, 0.03)), w = 1, d)
step_case("step-counts-plain", d, FALSE)
step_case("step-counts-intercept", d, TRUE)
step_case("step-counts-bic", d, TRUE, log(80))
d$w <- relative(d$y)
step_case("step-counts-relative", d, FALSE)
d$w[c(3, 17, 40)] <- 0
step_case("step-zero-weights", d, TRUE)
d$w <- 1
d$b4 <- d$b1
d$b6 <- d$b2 + 2 * d$b3
d$b8 <- d$b7
d$b12 <- 5
step_case("step-aliased-intercept", d, TRUE)
step_case("step-aliased-plain", d, FALSE)
d$b5 <- 0
step_case("step-zero-column", d, FALSE)
e <- counts(40, 6)
step_case("step-noise-intercept", cbind(y = rnorm(40, 100, 5), w = 1, e), TRUE)
step_case("step-noise-plain", cbind(y = rnorm(40), w = 1, e - 200), FALSE)
e <- counts(50, 5)
e$b2 <- e$b2 * 1e12
e$b3 <- e$b3 * 1e-9
step_case("step-ranges", cbind(y = 2 * e$b1 + 3e-12 * e$b2 + rnorm(50, 0, 20), w = 1, e), TRUE)
n <- 60
near <- data.frame(a = 1:n)
near$b <- near$a + rnorm(n) * 1e-4
near$c <- near$a^2
near$e <- near$c + rnorm(n) * 1e-3
step_case("step-near-collinear", cbind(y = 3 * near$a + 0.01 * near$c + rnorm(n), w = 1, near), TRUE)
d <- counts(200, 30)
price <- pmax(rnorm(30, 0, 1), 0)
d <- cbind(y = as.vector(as.matrix(d) %*% price) * exp(rnorm(200, 0, 0.05)), w = 1, d)
d$w <- relative(d$y)
step_case("step-200x30", d, FALSE)

# --- the paper's filter, its script with the characters lost in print restored ---
paper_filter <- function(a, threshold) {
  n <- colnames(a); count <- 0; mat <- matrix("xyz"); written <- c()
  for (i in 1:ncol(a)) for (j in 1:ncol(a)) {
    val <- suppressWarnings(cor(a[, i], a[, j]))
    if (!is.na(val) && (i != j) && (val > threshold)) {
      flag <- 0
      if (count > 0) for (k in 1:count) {
        if (!is.na(mat[k]) && !is.na(n[j]) && ((paste(n[i], n[j]) == mat[k]) || (paste(n[j], n[i]) == mat[k]))) {
          flag <- 1
          break
        }
      }
      if (flag == 1) next
      mat[count] <- paste(n[i], n[j]); count <- count + 1
      mat[count] <- paste(n[j], n[i]); count <- count + 1
      written <- c(written, n[i])
    }
  }
  unique(written)
}

# --- variance inflation: the largest goes until none exceeds the limit; of equals the last ---
inflation_filter <- function(d, x, w, limit) {
  out <- c()
  repeat {
    if (length(x) < 2) return(out)
    v <- sapply(x, function(j) {
      s <- summary(lm(as.formula(paste(j, "~", paste(setdiff(x, j), collapse = "+"))), d, weights = w))
      1 / (1 - s$r.squared)
    })
    if (max(v) <= limit) return(out)
    at <- max(which(v >= max(v) * (1 - 1e-9)))
    out <- c(out, paste("inflated", x[at], numbers(v[[at]])))
    x <- x[-at]
  }
}

filter_case <- function(name, d, thresholds, limits) {
  write_data(name, d)
  assign("w", d$w, globalenv())
  x <- setdiff(names(d), c("y", "w"))
  out <- c()
  for (t in thresholds) out <- c(out, paste(c("correlation", numbers(t), paper_filter(as.matrix(d[x]), t)), collapse = " "))
  for (l in limits) out <- c(out, paste("limit", numbers(l)), inflation_filter(d, x, d$w, l))
  writeLines(out, paste0(name, ".txt"))
}

filter_case("filter-mtcars", data.frame(y = mtcars$mpg, w = 1, mtcars[, 2:11]), c(0.3, 0.6, 0.85), c(10, 4))
filter_case("filter-longley", data.frame(y = longley$Employed, w = runif(16, 0.5, 2), longley[, 1:6]), c(0.3, 0.9), c(10, 100))
d <- counts(60, 8)
d$b3 <- d$b1 + rpois(60, 20)
d$b6 <- d$b2 - d$b4
d$b8 <- 7
filter_case("filter-counts", cbind(y = 1, w = 1, d), c(0.3, 0), numeric(0))

# --- runs that correlate negatively, by the steps of the paper's section 3.2.1, and the system solved ---
negative_runs <- function(a) {
  for (i in 1:nrow(a)) {
    rows <- i
    for (j in 1:nrow(a)) {
      if (length(rows) == ncol(a)) break
      if (all(sapply(rows, function(k) isTRUE(suppressWarnings(cor(a[j, ], a[k, ])) < 0)))) rows <- c(rows, j)
    }
    if (length(rows) == ncol(a)) return(rows)
  }
  integer(0)
}

solve_case <- function(name, d) {
  write_data(name, d)
  a <- as.matrix(d[setdiff(names(d), c("y", "w"))])
  runs <- negative_runs(a)
  out <- paste(c("runs", runs), collapse = " ")
  if (length(runs)) out <- c(out, paste("prices", numbers(solve(a[runs, ], d$y[runs]))))
  writeLines(out, paste0(name, ".txt"))
}

simplex <- function(n, p) {
  m <- matrix(rpois(n * p, 5), n, p)
  for (i in 1:n) m[i, sample(p, 1)] <- 200 + rpois(1, 50)
  m <- as.data.frame(m); names(m) <- paste0("b", 1:p); m
}
for (p in c(3, 5, 8)) {
  m <- simplex(60, p)
  solve_case(paste0("solve-simplex-", p), cbind(y = as.vector(as.matrix(m) %*% seq_len(p)) + rnorm(60), w = 1, m))
}
solve_case("solve-counts", { m <- counts(40, 6); cbind(y = rowSums(m), w = 1, m) })

# --- fits large enough for blocks: data by formula, the same in the test ---
large <- function(n, p) {
  i <- 0:(n - 1)
  x <- sapply(0:(p - 1), function(j) ((i * (7 * j + 13) + (i %/% 97) * (3 * j + 5) + j * j * 11) %% 1009) - 100 * (j %% 3))
  x <- as.data.frame(x); names(x) <- paste0("c", 0:(p - 1))
  x$y <- 5 + as.vector(as.matrix(x) %*% (1 + (0:(p - 1)) %% 4)) + (i * 31 + (i %/% 53) * 17) %% 257
  x$w <- 1 + i %% 3
  x
}
large_case <- function(name, d, x, intercept, weighted) {
  f <- as.formula(paste("y ~", if (intercept) "1 +" else "0 +", paste(x, collapse = " + ")))
  assign("d", d, globalenv()); assign("f", f, globalenv())
  fit <- if (weighted) lm(f, d, weights = w) else lm(f, d)
  s <- summary(fit)
  out <- c(paste("rank", fit$rank), paste("df", fit$df.residual), paste("sigma", numbers(s$sigma)),
    paste("r2", numbers(c(s$r.squared, s$adj.r.squared))), paste("f", numbers(s$fstatistic)),
    paste("quantiles", numbers(quantile(s$residuals))))
  for (term in names(coef(fit))) {
    row <- if (term %in% rownames(s$coefficients)) numbers(s$coefficients[term, 1:4]) else "NA"
    out <- c(out, paste("coefficient", term, row))
  }
  writeLines(out, paste0(name, ".txt"))
}
d <- large(20000, 12)
x <- paste0("c", 0:11)
large_case("large-plain", d, x, FALSE, FALSE)
large_case("large-intercept", d, x, TRUE, FALSE)
large_case("large-weighted", d, x, TRUE, TRUE)
d$w[(1:20000) %% 10 == 0] <- 0
large_case("large-zero-weights", d, x, TRUE, TRUE)
d$c3 <- d$c1
d$c6 <- d$c0 + 2 * d$c2
d$c9 <- 4
d$c10 <- 0
large_case("large-aliased", d, x, TRUE, FALSE)
large_case("large-aliased-weighted", d, x, FALSE, TRUE)

# --- digits of lm(tol = 1e-15) on the NIST sets; x1^j as in the exact files ---
digits <- function(found, exact) {
  e <- ifelse(exact == 0, abs(found), abs((found - exact) / exact))
  min(ifelse(e == 0, 15, pmin(-log10(e), 15)))
}
field <- function(text, key) {
  list <- regmatches(text, regexpr(paste0('"', key, '": (\\[[^]]*\\]|"[^"]*"|[a-z0-9.]+)'), text))
  as.numeric(regmatches(list, gregexpr('-?[0-9][0-9.]*E[+-][0-9]+', list))[[1]])
}
out <- "set beta se rsd r2 f"
for (name in c("Norris", "Pontius", "NoInt1", "NoInt2", "Filip", "Longley", paste0("Wampler", 1:5))) {
  text <- paste(readLines(paste0("../data/nist/", name, ".exact.json"), warn = FALSE), collapse = " ")
  d <- read.csv(paste0("../data/nist/", name, ".csv"))
  intercept <- grepl('"intercept": true', text)
  p <- length(field(text, "beta")) - intercept
  x <- if (ncol(d) == p + 1) as.matrix(d[-1]) else sapply(1:p, function(j) d$x1^j)
  fit <- if (intercept) lm(d$y ~ x, tol = 1e-15) else lm(d$y ~ x - 1, tol = 1e-15)
  s <- suppressWarnings(summary(fit))
  out <- c(out, paste(name, paste(sprintf("%.2f", c(
    digits(unname(coef(fit)), field(text, "beta")), digits(unname(s$coefficients[, 2]), field(text, "se")),
    digits(s$sigma, field(text, "rsd")), digits(s$r.squared, field(text, "r2")), digits(s$fstatistic[[1]], field(text, "F")))), collapse = " ")))
}
writeLines(out, "nist-digits.txt")
