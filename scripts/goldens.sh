#!/usr/bin/env bash
# Makes the answers of R and Python that tests are compared with anew, each by the script beside them, which names the versions it was made with.
#   scripts/goldens.sh             all
#   scripts/goldens.sh FOLDER ...  those in some folders
# Tests need neither R nor Python. `git diff` shows what another version answers differently; digits beyond the tests' tolerances may.
source "$(dirname "${BASH_SOURCE[0]}")/bench-learning/peers.bash"

folders=("$@")
if [ $# = 0 ]; then
    mapfile -t folders < <(git ls-files 'crates/*/tests/*make.R' 'crates/*/tests/*make.py' | xargs -n 1 dirname | LC_ALL=C sort -u)
fi
for folder in "${folders[@]}"; do
    echo "making $folder" >&2
    # Data are made by Python where both are there, and read by R.
    if [ -f "$folder/make.py" ]; then
        case $folder in
            *lasso) python_peers numpy==2.4.6 scikit-learn==1.9.1 ;;
            *miniml*) python_peers tree-sitter==0.26.1 tree-sitter-ocaml==0.26.0 ;;
            *) python_peers pyarrow==26.0.1 ;;
        esac
        interpreter=$PWD/$python
        (cd "$folder" && "$interpreter" make.py)
    fi
    if [ -f "$folder/make.R" ]; then
        r_peers nnls glmnet earth quantreg MASS
        (cd "$folder" && Rscript make.R)
    fi
done
git --no-pager diff --stat -- "${folders[@]}"
