#!/usr/bin/env bash
# Creates the passwords and the certificate of a stack on its first start; existing files do not change.
# It runs in the OpenSearch image, which contains keytool and the password hasher. One folder for each service:
#   postgres/    the passwords of the database: that of the owner of the tables, and that of the role of all processes
#   opensearch/  the node's key and certificate, the users with the hashes of their passwords
#   registry/    the addresses of both, passwords included, and the certificate authority to trust
#   owner/       the address of the database for the owner of its tables
# It also makes our user the owner of exports/, of bundles/ and of badge-keys/, audit-keys/ and credential-keys/, which make-keys.sh fills.
set -euo pipefail
umask 077

secrets=${SECRETS:-/secrets}
opensearch_home=${OPENSEARCH_HOME:-/usr/share/opensearch}
keytool=${JAVA_HOME:-$opensearch_home/jdk}/bin/keytool
hasher=$opensearch_home/plugins/opensearch-security/tools/hash.sh
# the user of the OpenSearch image and the one of ours
opensearch_user=${OPENSEARCH_UID:-1000}
registry_user=${REGISTRY_UID:-1000}
# the user of the PostgreSQL image
postgres_user=${POSTGRES_UID:-999}
# not a secret: permissions protect the files, and OpenSearch expects this password if none is set
store_password=changeit

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# put FILE OWNER: writes standard input atomically
put() {
  cat > "$work/put"
  chown "$2" "$work/put"
  chmod 0400 "$work/put"
  mv "$work/put" "$1.new"
  mv "$1.new" "$1"
}

random() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }

# password FILE OWNER: hexadecimal digits only, so that it needs no escaping in an address
password() {
  [ -s "$1" ] || random | put "$1" "$2"
  chown "$2" "$1" # of an older stack, which had other users
}

hash_of() {
  local hashed
  hashed=$(PASSWORD=$(cat "$1") bash "$hasher" -env PASSWORD | tail -n 1)
  case $hashed in
    '$2'*) printf '%s' "$hashed" ;;
    *) echo "make-secrets: $hasher did not print a hash" >&2; return 1 ;;
  esac
}

key() { "$keytool" "$@" -storetype PKCS12 -storepass "$store_password" 2> "$work/keytool" || { cat "$work/keytool" >&2; return 1; }; }

new_key() { key -genkeypair -keystore "$work/$1.p12" -alias "$1" -dname "CN=$2" -keyalg EC -groupname secp256r1 -validity 3650 "${@:3}"; }

# The authority signs one certificate, and its key is deleted: no second node of this stack can be created.
certificate() {
  local target=$secrets/opensearch
  [ -s "$target/node.p12" ] && [ -s "$target/trust.p12" ] && [ -s "$target/ca.pem" ] && return
  new_key ca registry-ca -ext bc:critical=ca:true -ext ku:critical=keyCertSign
  new_key node opensearch
  key -exportcert -rfc -keystore "$work/ca.p12" -alias ca > "$work/ca.pem"
  key -certreq -keystore "$work/node.p12" -alias node > "$work/node.csr"
  key -gencert -rfc -keystore "$work/ca.p12" -alias ca -infile "$work/node.csr" -validity 3650 \
    -ext san=dns:opensearch,dns:localhost,ip:127.0.0.1 -ext ku:critical=digitalSignature \
    -ext eku=serverAuth,clientAuth > "$work/node.pem"
  key -importcert -noprompt -keystore "$work/node.p12" -alias ca -file "$work/ca.pem"
  key -importcert -noprompt -keystore "$work/node.p12" -alias node -file "$work/node.pem"
  key -importcert -noprompt -keystore "$work/trust.p12" -alias ca -file "$work/ca.pem"
  put "$target/ca.pem" "$opensearch_user" < "$work/ca.pem"
  put "$target/trust.p12" "$opensearch_user" < "$work/trust.p12"
  put "$target/node.p12" "$opensearch_user" < "$work/node.p12"
}

users() {
  local target=$secrets/opensearch
  [ -s "$target/internal_users.yml" ] && return
  local admin registry
  admin=$(hash_of "$target/admin-password")
  registry=$(hash_of "$target/registry-password")
  put "$target/internal_users.yml" "$opensearch_user" << EOF
_meta: { type: internalusers, config_version: 2 }
admin: { hash: '$admin', reserved: true, backend_roles: [admin] }
registry: { hash: '$registry', reserved: true }
EOF
}

mkdir -p "$secrets"/{postgres,opensearch,registry,owner,badge-keys,audit-keys,credential-keys,exports,bundles}
chown "$postgres_user" "$secrets/postgres"
chown "$opensearch_user" "$secrets/opensearch"
chown "$registry_user" "$secrets"/{registry,owner,badge-keys,audit-keys,credential-keys,exports,bundles}
chmod 0700 "$secrets"/{postgres,opensearch,registry,owner,badge-keys,audit-keys,credential-keys,exports,bundles}

password "$secrets/postgres/password" "$postgres_user"
password "$secrets/postgres/runtime-password" "$postgres_user"
password "$secrets/opensearch/admin-password" "$opensearch_user"
password "$secrets/opensearch/registry-password" "$opensearch_user"
certificate
users

index_password=$(cat "$secrets/opensearch/registry-password")
put "$secrets/opensearch/health.curl" "$opensearch_user" << EOF
user = "registry:$index_password"
cacert = "/usr/share/opensearch/config/secrets/ca.pem"
EOF
# store FOLDER USER PASSWORD-FILE
store() { printf 'postgres://%s:%s@postgres:5432/registry\n' "$2" "$(cat "$3")" | put "$secrets/$1/store" "$registry_user"; }
store registry registry_runtime "$secrets/postgres/runtime-password"
store owner registry "$secrets/postgres/password"
printf 'https://registry:%s@opensearch:9200\n' "$index_password" | put "$secrets/registry/index" "$registry_user"
put "$secrets/registry/ca.pem" "$registry_user" < "$secrets/opensearch/ca.pem"
echo "make-secrets: passwords and certificate exist"
