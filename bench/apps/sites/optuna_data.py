"""Writes three finished studies for the dashboard of Optuna: `optuna_data.py FILE`."""

from __future__ import annotations

import sys

import optuna

optuna.logging.set_verbosity(optuna.logging.ERROR)
STORAGE = f"sqlite:///{sys.argv[1]}"


def distance(trial: optuna.Trial) -> float:
    x = trial.suggest_float("x", -5, 5)
    kind = trial.suggest_categorical("kind", ["round", "square"])
    return x * x + (1 if kind == "square" else 0)


for name, trials in {"bread": 12, "soup": 5, "stew": 0}.items():
    study = optuna.create_study(storage=STORAGE, study_name=name, sampler=optuna.samplers.RandomSampler(seed=7))
    study.optimize(distance, n_trials=trials)
