# R's side of ols.sh: lm with summary and step on the files that bench_ols wrote, timed and compared.
# Rscript ols.R DIR ols|step
args <- commandArgs(TRUE)
dir <- args[1]
read <- function(file) {
  con <- file(file.path(dir, file), "rb")
  on.exit(close(con))
  size <- readBin(con, "double", 2)
  d <- lapply(seq_len(size[2]), function(j) readBin(con, "double", size[1]))
  names(d) <- paste0("c", seq_len(size[2]) - 1)
  d$y <- readBin(con, "double", size[1])
  as.data.frame(d)
}
say <- function(name, t) cat("R", name, t[["elapsed"]], t[["user.self"]] + t[["sys.self"]], "\n")
worst <- function(a, b) max(abs(a - b) / abs(b))
if (args[2] == "ols") {
  d <- read("ols.bin")
  t <- system.time(s <- summary(lm(y ~ ., d)))
  say("ols", t)
  ours <- as.matrix(read.table(file.path(dir, "ols.ours")))
  r <- rbind(s$coefficients[, 1:2], c(s$sigma, s$r.squared))
  cat("agree ols", worst(ours, r), "\n")
} else {
  d <- read("step.bin")
  fit <- lm(y ~ . - 1, d)
  t <- system.time(s <- step(fit, direction = "backward", trace = 0))
  say("step", t)
  ours <- read.table(file.path(dir, "step.ours"))
  dropped <- sub("^- ", "", as.character(s$anova$Step[-1]))
  same <- identical(dropped, as.character(ours[[1]]))
  cat("agree step", if (same) "yes" else "NO", nrow(ours), "drops, AIC", max(abs(ours[[2]] - s$anova$AIC[-1])), "\n")
}
