#!/usr/bin/env bash
# Writes the current digest of each third-party image into .env. docker-compose.yml and the Dockerfile use images by
# digest only, so run this before the first start. Run it again to use a newer build of the same version; it prints the
# old and the new digest.
set -euo pipefail
cd "$(dirname "$0")/../.."
file=.env

# NAME:TAG@${DIGEST_NAME_TAG…}, in either file
images=$(grep -ohE '[a-z0-9./-]+:[A-Za-z0-9._-]+@\$\{DIGEST_[A-Z0-9_]+' docker-compose.yml Dockerfile | sort -u)
touch "$file"
cp -p "$file" "$file.new"
trap 'rm -f "$file.new"' EXIT

while IFS= read -r line; do
  image=${line%@*}
  variable=${line#*\{}
  digest=$(docker buildx imagetools inspect "$image" --format '{{json .Manifest.Digest}}' | tr -d '"')
  if ! [[ $digest =~ ^sha256:[0-9a-f]{64}$ ]]; then
    echo "pin-images: the image registry returned no digest for $image: $digest" >&2
    exit 1
  fi
  before=$(sed -n "s/^$variable=//p" "$file")
  sed -i "/^$variable=/d" "$file.new"
  [ -z "$(tail -c 1 "$file.new")" ] || echo >> "$file.new"
  echo "$variable=$digest" >> "$file.new"
  case $before in
    "$digest") echo "$image is at $digest" ;;
    *) echo "$image: ${before:-no digest} -> $digest" ;;
  esac
done <<< "$images"

mv "$file.new" "$file"
