#!/usr/bin/env bash
# A bot in ten lines of shell: plays any of its legal moves.
while read -r line; do
  case $line in
    '{"type":"turn",'*)
      moves=${line##*'"legal_moves":["'}
      moves=${moves%%'"]'*}
      list=(${moves//'","'/ })
      echo "${list[RANDOM % ${#list[@]}]}" ;;
  esac
done
