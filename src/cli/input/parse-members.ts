import { readFileSync } from 'node:fs';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { isNode, LineCounter, parseDocument } from 'yaml';
import { RegistryError } from '../../errors.ts';
import type { Member } from '../../ports/members.ts';

/** The member as the file has it: the wire's names (specification, 2.1). */
interface MemberEntry {
  readonly slug: string;
  readonly display_name: string;
  readonly membership_tier?: string;
  readonly membership_tier_label?: string;
  readonly is_founding_member?: boolean;
  readonly subscription_status?: string;
  readonly contact?: Member['contact'];
}

/**
 * Reads a members file, JSON or YAML, against schemas/registry/members.json. Throws `input_invalid` with every place
 * that is wrong, by line and column.
 */
export function parseMembers(text: string, file: string): readonly Member[] {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, strict: true, uniqueKeys: true });
  const [syntax] = document.errors;
  if (syntax !== undefined) throw invalid(file, [syntax.message.split('\n')[0] ?? 'not YAML']);
  const value: unknown = document.toJS({ maxAliasCount: 100 });
  const validate = membersSchema();
  if (!validate(value))
    throw invalid(
      file,
      (validate.errors ?? []).slice(0, 20).map((error) => sentence(error, place(error))),
    );
  const entries = (
    Array.isArray(value) ? value : (value as { members: unknown }).members
  ) as readonly MemberEntry[];
  const twice = entries.find(({ slug }, index) => entries.findIndex((other) => other.slug === slug) < index);
  if (twice !== undefined) throw invalid(file, [`the slug '${twice.slug}' stands twice`]);
  return entries.map(memberOf);

  function place(error: ErrorObject): string {
    const path = error.instancePath
      .split('/')
      .slice(1)
      .map((step) => (/^\d+$/.test(step) ? Number(step) : step));
    const node = document.getIn(path, true);
    if (!isNode(node) || !node.range) return error.instancePath || 'the file';
    const { line, col } = lines.linePos(node.range[0]);
    return `line ${line}, column ${col} (${error.instancePath || 'the file'})`;
  }
}

function membersSchema() {
  const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });
  addFormats.default(ajv);
  return ajv.compile(
    JSON.parse(readFileSync(new URL('../../../schemas/registry/members.json', import.meta.url), 'utf8')),
  );
}

function sentence({ message, params, keyword }: ErrorObject, place: string): string {
  const unknown =
    keyword === 'additionalProperties' ? ` ('${String(params.additionalProperty)}' is not known)` : '';
  const values = keyword === 'enum' ? ` (${(params.allowedValues as string[]).join(', ')})` : '';
  return `${place}: ${message ?? 'is wrong'}${unknown}${values}`;
}

function invalid(file: string, places: readonly string[]): RegistryError {
  return new RegistryError(
    'input_invalid',
    `${file} is no members file\n${places.map((line) => `  ${line}`).join('\n')}`,
    {
      hint: 'a list of {slug, display_name, membership_tier, …}; the schema is schemas/registry/members.json; nothing was written',
    },
  );
}

function memberOf(entry: MemberEntry): Member {
  return {
    slug: entry.slug,
    displayName: entry.display_name,
    foundingMember: entry.is_founding_member ?? false,
    ...(entry.membership_tier !== undefined && { tier: entry.membership_tier }),
    ...(entry.membership_tier_label !== undefined && { tierLabel: entry.membership_tier_label }),
    ...(entry.subscription_status !== undefined && { subscriptionStatus: entry.subscription_status }),
    ...(entry.contact && { contact: entry.contact }),
  };
}
