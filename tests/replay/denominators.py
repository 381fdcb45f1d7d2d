# SPDX-License-Identifier: Apache-2.0
"""Whether the numbers of a report agree with each other: all changes are fractions of base's total.

	denominators.py FOLDER   (FOLDER/report.json, report.md); says what does not, and exits with 1
"""
import json
import re
import sys

DIGITS = 2e-4  # columns have five digits
SAMPLED = 0.03  # what samples see of the whole, beyond what they say they do: chance, and nodes of few samples
wrong = []


def near(what, value, wanted, most):
	if value is None or not abs(value - wanted) <= most:
		wrong.append(f"{what}: {value}, and not {wanted} (give or take {most:.2g})")


def differs_by_its_change(what, base, head, change, whole):
	near(what, head - base, change * whole, DIGITS * max(base, head, whole * abs(change)) + 1e-12)


def check_total(benchmark):
	total, pairs = benchmark["total"], benchmark["pairs"]
	kept = [i for i in range(pairs["count"]) if not pairs["dropped"][i]]
	near("total", total["head"], total["base"] * (1 + total["change"]), 1e-9 * total["head"])
	for version in "base", "head":
		costs = [pairs[version][i] for i in kept]
		if not min(costs) <= total[version] <= max(costs):
			wrong.append(f"total: {version} is no mean of the runs")
	for metric in benchmark.get("metrics", []):
		if metric["name"] == "cpu":
			for field in "base", "head", "change", "low", "high":
				near(f"CPU time among all metrics: {field}", metric[field], total[field], 1e-12)


def check_root(benchmark):
	total, nodes = benchmark["total"], benchmark["nodes"]
	for version in "base", "head":
		near(f"root: {version}", nodes["total_" + version][0], total[version], DIGITS * total[version])
	near("root: change", nodes["total_change"][0], total["change"], DIGITS * abs(total["change"]))
	states = "unchanged flagged confirmed shifted contradicted unchanged_code improved ineligible".split()
	if states[nodes["state"][0]] != total["state"]:
		wrong.append("root: another state than the total's")


def check_costs(benchmark):
	whole, functions, nodes = benchmark["total"]["base"], benchmark["functions"], benchmark["nodes"]
	for i in range(functions["count"]):
		differs_by_its_change(f"function {i}: self", functions["self_base"][i], functions["self_head"][i],
			functions["change"][i], whole)
		if functions.get("total_change") and functions["total_change"][i] is not None:
			differs_by_its_change(f"function {i}: total", functions["total_base"][i],
				functions["total_head"][i], functions["total_change"][i], whole)
	for i in range(nodes["count"]):
		for kind in "self", "total":
			differs_by_its_change(f"node {i}: {kind}", nodes[kind + "_base"][i], nodes[kind + "_head"][i],
				nodes[kind + "_change"][i], whole)


# A part that the samples do not see is in no node.
def check_sums(benchmark):
	total, functions, nodes = benchmark["total"], benchmark["functions"], benchmark["nodes"]
	sampling, size = benchmark["sampling"], 1 + max(total["change"], 0)
	seen = sampling["coverage_head"] * (1 + total["change"]) - sampling["coverage_base"]
	tops = [i for i in range(1, nodes["count"]) if nodes["parent"][i] == 0]
	near("changes of all functions", sum(functions["change"]), seen, SAMPLED * size)
	near("changes of the outermost calls", sum(nodes["total_change"][i] for i in tops) + nodes["self_change"][0],
		seen, SAMPLED * size)


# Above all of the increase only by what shrank, of all culprits together.
def check_explained(benchmark, culprits):
	shrank = -sum(min(change, 0) for change in benchmark["functions"]["change"])
	parts = [(one["together"], one["explained"]) for one in culprits if one["explained"] > 0]
	wholes = [together / explained for together, explained in parts]
	for whole in wholes[1:]:
		near("the increase that culprits explain", whole, wholes[0], 1e-6 * abs(wholes[0]))
	if parts and sum(explained for _, explained in parts) > 1 + shrank / wholes[0] + SAMPLED:
		wrong.append("culprits explain more than all that grew")


def check_culprits(benchmark):
	total, culprits = benchmark["total"], benchmark["culprits"]
	for i, culprit in enumerate(culprits):
		what = f"culprit {i}"
		differs_by_its_change(what, culprit["base"], culprit["head"], culprit["change"], total["base"])
		if culprit["relative"] is None:
			near(f"{what}: base of what is new", culprit["base"], 0, 0)
		else:
			near(f"{what}: relative", culprit["relative"], culprit["head"] / culprit["base"] - 1, 1e-9)
	check_explained(benchmark, culprits)


# What people read: the headline, and the tree's root.
def check_text(benchmark, text):
	total = benchmark["total"]
	tree = re.search(r"^[-+ ] +([-+]?[\d.]+) % +\S+ \S+ -> +\S+ \S+  \(everything\)$", text, re.M)
	said = re.search(r" takes ([\d.]+) % (more|less) CPU time", text)
	if tree and said:
		near("the tree's root", float(tree.group(1)), 100 * total["change"], 0.51 if abs(total["change"]) > 0.99 else 0.051)
		near("the headline", float(said.group(1)), abs(float(tree.group(1))), 1e-9)


def main(folder):
	text = open(folder + "/report.md").read()
	benchmarks = json.load(open(folder + "/report.json"))["benchmarks"]
	measured = [one for one in benchmarks if one["outcome"] == "measured"]
	for benchmark in measured:
		check_total(benchmark)
		check_root(benchmark)
		check_costs(benchmark)
		check_sums(benchmark)
		check_culprits(benchmark)
	if len(benchmarks) == len(measured) == 1:
		check_text(measured[0], text)
	print("\n".join(wrong[:20]))
	return 1 if wrong else 0


sys.exit(main(sys.argv[1]))
