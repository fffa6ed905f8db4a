#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The commands of docs/guide/17-python.md from a bare system to a heat equation on 4 ranks, with the time of each. In a chroot, as root:
#   packaging/chroot.sh packaging/python/transcript.sh <output folder>
# writes transcript.txt and times.csv there, and fails where a command does.
set -euo pipefail
cd /home/user/halocline
page=docs/guide/17-python.md

# commands_of <prompt>: the lines of the block that the comment "packaging/python/transcript.sh" precedes, "# " as root, "$ " as a user.
commands_of() {
  awk -v prompt="$1 " '/^<!-- .*packaging\/python\/transcript.sh/ { here = 1 } here && /^```$/ { exit }
                       here && index($0, prompt) == 1 { print substr($0, 3) }' "$page"
}

# Runs its standard input line by line in one shell.
cat >/tmp/steps.sh <<'STEPS'
TIMEFORMAT='%R,%U,%S'
mapfile -t commands
for command in "${commands[@]}"; do
  printf '\n%s %s\n' "$1" "$command"
  { time eval "$command" </dev/null 2>&1 || exit 1; } 2>/tmp/time.$UID
  read -r spent </tmp/time.$UID
  IFS=, read -r real user system <<<"$spent"
  printf '[%s s; processors: %s s user, %s s system]\n' "$real" "$user" "$system"
  printf '"%s",%s\n' "${command//\"/\"\"}" "$spent" >>/tmp/times.csv
done
STEPS

printf 'command,elapsed_s,user_s,system_s\n' >/tmp/times.csv
chmod a+w /tmp/times.csv
run() {
  . /etc/os-release
  echo "$PRETTY_NAME in a chroot, $(nproc) cores, load averages $(cut -d' ' -f1-3 /proc/loadavg), $(date -u +%Y-%m-%dT%H:%MZ)"
  commands_of '#' | bash /tmp/steps.sh '#' && commands_of '$' | su user -c 'bash /tmp/steps.sh "$"'
}
status=0
# Without dpkg's line for each package.
run 2>&1 | sed -uE 's/.*\r//; /^(Selecting|Preparing|Unpacking|Setting up|Processing triggers|\(Reading|debconf:|\s*$)/d' | tee /out/transcript.txt || status=1
cp /tmp/times.csv /out/times.csv
tail -n 1 /out/times.csv | grep -q 'examples/heat.py' || status=1
grep -qx passed /out/transcript.txt || status=1
exit $status
