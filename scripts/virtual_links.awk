# SPDX-License-Identifier: BSD-3-Clause
# Checks a file of links for virtual_nodes.sh --links, which has their format. nodes: how many there are.
# Prints "port NODE SWITCH", "trunk SWITCH SWITCH" and "pair NODE NODE", each with the rate and with the bytes that may pass
# at once: what 10 ms carry, as timers are late on a busy machine, but no less than 16 KiB.

function refuse(what) {
  printf "virtual_nodes.sh: --links %s: %s\n", FILENAME, what > "/dev/stderr"
  refused = 1
  exit 2
}
function refuse_line(what) { refuse("line " FNR " is '" $0 "'; " what) }
function is_node(end) { return end ~ /^[0-9]+$/ }
function burst(rate,  bits) {
  bits = rate * (rate ~ /kbit/ ? 1e3 : rate ~ /mbit/ ? 1e6 : rate ~ /gbit/ ? 1e9 : 1)
  return int(bits / 800 > 16384 ? bits / 800 : 16384)
}
function root(end) {
  while (end in above) end = above[end]
  return end
}

{ sub(/#.*/, "") }
NF == 0 { next }
NF != 3 { refuse_line("allowed are two ends and a rate") }
$3 !~ /^[0-9]+(\.[0-9]+)?[kmg]?bit$/ || $3 + 0 == 0 { refuse_line("allowed as a rate is a number above 0 with bit, kbit, mbit or gbit") }
{
  for (i = 1; i <= 2; ++i) {
    if (is_node($i) ? $i != int($i) "" || $i >= nodes : $i !~ /^[a-z][a-z0-9]*$/ || length($i) > 7) {
      refuse_line("allowed as an end is a node, 0 to " nodes - 1 ", or a switch, a word of at most 7 small letters and digits")
    }
  }
  if ($1 == $2) refuse_line("allowed are two different ends")
  if (is_node($1) && is_node($2)) {
    if (($1, $2) in pairs) refuse_line("these two nodes have a link already")
    pairs[$1, $2] = pairs[$2, $1] = 1
    print "pair", $1, $2, $3, burst($3)
    next
  }
  node = is_node($1) ? $1 : $2
  if (is_node(node) && ports[node]++) refuse_line("node " node " has a link to a switch already")
  if (root($1) == root($2)) refuse_line("the two ends are connected already; allowed are switches that are a tree")
  above[root($1)] = root($2)
  if (is_node($1)) print "port", $1, $2, $3, burst($3)
  else if (is_node($2)) print "port", $2, $1, $3, burst($3)
  else print "trunk", $1, $2, $3, burst($3)
}
END {
  if (refused) exit 2
  for (node = 0; node < nodes; ++node) {
    if (!(node in ports)) refuse("node " node " has no link to a switch; allowed is one for each node")
    if (root(node "") != root("0")) refuse("no links connect node " node " with node 0; allowed are switches that are a tree")
  }
}
