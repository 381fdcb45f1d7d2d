// SPDX-License-Identifier: Apache-2.0

const page = makePage(makeModel(document.getElementById("data").textContent));
document.documentElement.dataset.ready = String(shownView(page) ? shownView(page).tree.count : 0);
