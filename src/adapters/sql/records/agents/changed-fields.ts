import { hash } from 'node:crypto';
import type { AgentDocument } from '../../../../domain/agent-document.ts';
import type { Change, ChangeKind } from '../../../../domain/change.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Values whose JSON text is longer are logged as the hash of that text. */
const MAX_LOGGED_CHARACTERS = 1_024;

/** Of these the members are logged one by one: a short one is kept beside a long one. */
const DEEP: ReadonlySet<string> = new Set(['base', 'compliance'] satisfies readonly (keyof AgentDocument)[]);

/**
 * What a change-log row says of a change: the top-level fields of the document that differ (`base` and `compliance` one level
 * deeper), as they were and as they are. Undefined when nothing differs.
 */
export function changedFields(
  before: AgentDocument | undefined,
  after: AgentDocument | undefined,
): Pick<Change, 'kind' | 'before' | 'after'> | undefined {
  const kind = kindOf(before, after);
  if (kind === undefined || before === undefined || after === undefined) {
    return (
      kind && {
        kind,
        before: before ? logged({ ...before }) : null,
        after: after ? logged({ ...after }) : null,
      }
    );
  }
  const [was, is] = difference({ ...before }, { ...after }, DEEP);
  return Object.keys(was).length + Object.keys(is).length === 0
    ? undefined
    : { kind, before: was, after: is };
}

function kindOf(before: AgentDocument | undefined, after: AgentDocument | undefined): ChangeKind | undefined {
  if (before === undefined) return after && 'listed';
  return after === undefined ? 'delisted' : 'changed';
}

function difference(before: Fields, after: Fields, deep: ReadonlySet<string>): readonly [Fields, Fields] {
  const was: Record<string, unknown> = {};
  const is: Record<string, unknown> = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [text, newText] = [JSON.stringify(before[name]), JSON.stringify(after[name])];
    if (text === newText) continue;
    if (deep.has(name)) {
      [was[name], is[name]] = difference(before[name] as Fields, after[name] as Fields, new Set());
      continue;
    }
    if (before[name] !== undefined) was[name] = shortened(before[name], text);
    if (after[name] !== undefined) is[name] = shortened(after[name], newText);
  }
  return [was, is];
}

function logged(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      DEEP.has(name) ? logged(value as Fields) : shortened(value),
    ]),
  );
}

function shortened(value: unknown, text: string | undefined = JSON.stringify(value)): unknown {
  if (text === undefined || text.length <= MAX_LOGGED_CHARACTERS) return value;
  return `sha256:${hash('sha256', text)}`;
}
