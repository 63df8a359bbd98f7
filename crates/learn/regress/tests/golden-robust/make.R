# Makes the expectations of tests/robust.rs and tests/nonlinear.rs.
# Run in this directory: Rscript make.R
# Made with R 4.2.2, quantreg 5.94, MASS 7.3-58.2.
#
# NAME.csv: y, w (weights of squared errors), then the columns. NAME.txt: one line per result,
#   rq     objective, coefficients             quantreg::rq.fit.br(weights = sqrt(w)), tau = 0.5
#   rqpos  objective                           quantreg::rq.fit.fnc with coefficients >= 0 (interior point, about 1e-7)
#   mad    scale, coefficients, errors         MASS::rlm, psi.huber, scale.est = "MAD", acc = 1e-13
#   prop2  scale, coefficients, errors         the same with scale.est = "proposal 2"
# A constant is a column of ones. nls-NAME.txt: formula, start, options, then estimates, errors, rss, sigma, df.
suppressMessages({ library(quantreg); library(MASS) })
set.seed(20261121)
digits <- function(x) paste(sprintf("%.17g", x), collapse = " ")
line <- function(file, ...) cat(..., "\n", sep = " ", file = file, append = TRUE)

robust <- function(name, y, X, w = rep(1, length(y)), keep = seq_len(ncol(X)), huber = TRUE, r = TRUE, pos = TRUE) {
  colnames(X) <- paste0("x", seq_len(ncol(X)))
  write.table(format(cbind(y = y, w = w, X), digits = 17, trim = TRUE, scientific = NA), paste0(name, ".csv"), sep = ",", quote = FALSE, row.names = FALSE)
  file <- paste0(name, ".txt")
  cat("", file = file)
  d <- read.csv(paste0(name, ".csv"))
  y <- d$y; w <- d$w; X <- as.matrix(d[, -(1:2), drop = FALSE])
  used <- w > 0; s <- sqrt(w[used]); Xs <- X[used, keep, drop = FALSE] * s; ys <- y[used] * s
  if (r) {
    f <- suppressWarnings(rq.fit.br(Xs, ys, tau = 0.5))
    b <- rep(NA, ncol(X)); b[keep] <- f$coefficients
    line(file, "rq", digits(sum(abs(ys - Xs %*% f$coefficients))), digits(b))
  }
  if (r && pos && ncol(Xs) > 1) {
    f <- tryCatch(rq.fit.fnc(Xs, ys, R = diag(ncol(Xs)), r = rep(-1e-12, ncol(Xs)), tau = 0.5), error = function(e) NULL)
    if (!is.null(f) && all(is.finite(f$coefficients)))
      line(file, "rqpos", digits(sum(abs(ys - Xs %*% pmax(f$coefficients, 0)))))
  }
  if (huber) for (est in c("MAD", "proposal 2")) {
    f <- rlm(X[used, keep, drop = FALSE], y[used], weights = w[used], psi = psi.huber, scale.est = est, acc = 1e-13, maxit = 5000)
    stopifnot(f$converged)
    e <- summary(f)$coefficients[, 2]
    line(file, if (est == "MAD") "mad" else "prop2", digits(f$s), digits(f$coefficients), digits(e))
  }
}

# Counts with known prices, multiplicative noise and some wild measurements.
counts <- function(n, p, wild) {
  X <- matrix(rpois(n * p, rep(rexp(p, 0.02) + 1, each = n)) * rep(sample(1:20, n, TRUE), p), n, p)
  y <- as.vector(X %*% (1:p / 2)) * (1 + 0.03 * rnorm(n))
  bad <- sample(n, wild); y[bad] <- y[bad] * runif(wild, 2, 20)
  list(X = X, y = round(y, 3))
}
robust("stackloss", stackloss$stack.loss, cbind(1, as.matrix(stackloss[, 1:3])))
data(engel); robust("engel", engel$foodexp, cbind(1, engel$income))
robust("engel-relative", engel$foodexp, cbind(1, engel$income), w = 1 / engel$foodexp^2)
a <- counts(60, 5, 8); robust("counts", a$y, a$X)
robust("counts-relative", a$y, a$X, w = 1 / a$y^2)
robust("counts-some-weightless", a$y, a$X, w = rep(c(1, 0, 4), 20))
a <- counts(400, 12, 60); robust("counts-wide", a$y, a$X, w = 1 / a$y^2)
X <- cbind(1, rep(1:5, each = 6)); robust("ties", c(rep(c(3, 4, 4, 5, 7, 9), 5)) + X[, 2] * 2, X)
X <- cbind(1, c(1:9, 1:9, 1:9)); robust("duplicate-rows", c(2 + 3 * (1:9), 2 + 3 * (1:9) + 1, 40:32), X)
a <- counts(50, 4, 6); robust("duplicate-column", a$y, cbind(a$X, a$X[, 2], 0, a$X[, 1] + a$X[, 3]), keep = 1:4, pos = FALSE)
a <- counts(4, 7, 0); robust("more-columns-than-rows", a$y, a$X, r = FALSE, huber = FALSE)
robust("one-row", 12, matrix(4), huber = FALSE)
a <- counts(80, 4, 10); robust("ranges", a$y * 1e6, a$X %*% diag(c(1e-6, 1, 1e3, 1e6)), pos = FALSE, huber = FALSE)
robust("half-exact", c(2 * (1:15), c(90, 10, 70, 3, 55, 41, 99, 12, 60)), matrix(c(1:15, 16:24)), huber = FALSE)
robust("signs", c(5, -3, 8, 1, -9, 4, 2, 7) , cbind(c(1, -1, 2, 0, -2, 1, 1, 3), c(0, 2, 1, -1, 3, 1, -2, 0)))

nonlinear <- function(name, formula, data, start, w = NULL, lower = NULL, upper = NULL) {
  columns <- setdiff(all.vars(formula), names(start))
  data$w <- if (is.null(w)) 1 else w
  write.table(format(data[, c(columns[1], "w", columns[-1])], digits = 17, trim = TRUE), paste0("nls-", name, ".csv"), sep = ",", quote = FALSE, row.names = FALSE)
  d <- read.csv(paste0("nls-", name, ".csv"))
  control <- nls.control(maxiter = 500, tol = 1e-6, minFactor = 1e-10)
  fit <- if (is.null(lower)) nls(formula, d, start, weights = w, control = control)
         else nls(formula, d, start, weights = w, algorithm = "port", lower = lower, upper = upper, control = nls.control(maxiter = 500))
  s <- summary(fit)
  file <- paste0("nls-", name, ".txt"); cat("", file = file)
  line(file, "formula", paste(deparse(formula[[3]], 500), collapse = ""))
  line(file, "parameters", paste(names(start), collapse = " "))
  line(file, "start", digits(unlist(start)))
  if (!is.null(lower)) { line(file, "lower", digits(lower)); line(file, "upper", digits(upper)) }
  line(file, "estimates", digits(coef(fit))); line(file, "errors", digits(s$coefficients[, 2]))
  line(file, "p", digits(s$coefficients[, 4]))
  line(file, "rss", digits(deviance(fit))); line(file, "sigma", digits(s$sigma)); line(file, "df", s$df[2])
}
P <- subset(Puromycin, state == "treated")
nonlinear("puromycin", rate ~ Vm * conc / (K + conc), P, list(Vm = 200, K = 0.05))
nonlinear("puromycin-relative", rate ~ Vm * conc / (K + conc), P, list(Vm = 200, K = 0.05), w = 1 / P$rate^2)
D <- subset(DNase, Run == 1)
nonlinear("dnase", density ~ Asym / (1 + exp((xmid - log(conc)) / scal)), D, list(Asym = 3, xmid = 0, scal = 1))
I <- subset(Indometh, Subject == 1)
nonlinear("indometh", conc ~ A1 * exp(-exp(r1) * time) + A2 * exp(-exp(r2) * time), I, list(A1 = 2, r1 = 1, A2 = 0.5, r2 = -1.5))
n <- c(10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000)
C <- data.frame(n = n, cost = round((120 + 3.5 * n * log(n)) * (1 + 0.02 * rnorm(10)), 4))
nonlinear("nlogn", cost ~ k1 * (n * log(n)) + k2, C, list(k1 = 1, k2 = 0))
nonlinear("nlogn-relative", cost ~ k1 * (n * log(n)) + k2, C, list(k1 = 1, k2 = 0), w = 1 / C$cost^2)
C$cost <- round(7 * n^1.4 * (1 + 0.02 * rnorm(10)), 4)
nonlinear("power", cost ~ k * n^e, C, list(k = 1, e = 1.2), w = 1 / C$cost^2)
nonlinear("power-bounded", cost ~ k * n^e + c, C, list(k = 5, e = 1.3, c = 1), w = 1 / C$cost^2, lower = c(0, 1, 0), upper = c(100, 1.35, 1e4))
nonlinear("weightless-rows", cost ~ k * n^e, C, list(k = 1, e = 1.2), w = rep(c(1, 0), 5))
L <- subset(Loblolly, Seed == "301")
nonlinear("few-rows", height ~ Asym * (1 - exp(-k * age)), L, list(Asym = 100, k = 0.05))
T <- data.frame(a = rep(c(1, 2, 4, 8), each = 3), y = c(2, 2, 3, 5, 5, 5, 9, 10, 9, 18, 17, 17))
nonlinear("ties", y ~ p * a^q, T, list(p = 2, q = 1))
