import type { SchemaSet } from '../../protocol/schema-set.ts';
import { limitationsOf } from '../run/limitations.ts';
import type { RunnerLimitation } from '../run-result.ts';
import { allSteps } from '../storyboard.ts';
import type { Bundle } from '../storyboards/bundle.ts';

/** What a bundle contains, and what this program cannot evaluate of it. */
export interface BundleReview {
  readonly storyboards: number;
  readonly steps: number;
  readonly checks: number;
  /** Unknown checks, requirements, fields and tasks, each once. */
  readonly limitations: readonly RunnerLimitation[];
  /**
   * Schemas that steps name and that are not in the bundle: answers are not checked with them. None for a bundle without
   * schemas, because the program's own are used for it.
   */
  readonly missingSchemas: readonly NamedSchema[];
  /** Other findings, each once. */
  readonly warnings: readonly BundleWarning[];
}

export interface NamedSchema {
  /** As the storyboard names it, `media-buy/get-products-response.json`. */
  readonly schema: string;
  /** Ids of the storyboards that name it. */
  readonly storyboards: readonly string[];
}

export interface BundleWarning {
  readonly code: string;
  readonly message: string;
  readonly files: readonly string[];
}

/** Findings that are limitations too. */
const LIMITATIONS: readonly string[] = ['check_unknown', 'member_unknown', 'invariant_unknown'];

/** Summarises a bundle. Pure. */
export function reviewBundle(bundle: Bundle): BundleReview {
  const storyboards = bundle.storyboards.map(({ storyboard }) => storyboard);
  const steps = storyboards.flatMap(allSteps);
  const findings = bundle.findings.flatMap(({ file, findings: found }) =>
    found
      .filter(({ code }) => !LIMITATIONS.includes(code))
      .map(({ code, message }) => ({ file, code, message })),
  );
  const byMessage = Map.groupBy(findings, ({ code, message }) => `${code} ${message}`);
  return {
    storyboards: storyboards.length,
    steps: steps.length,
    checks: steps.reduce((sum, { validations }) => sum + validations.length, 0),
    limitations: limitationsOf(storyboards),
    missingSchemas: bundle.schemas === undefined ? [] : unknownSchemas(namedSchemas(bundle), bundle.schemas),
    warnings: [...byMessage.values()].flatMap((same) => {
      const files = [...new Set(same.map(({ file }) => file))];
      return same.slice(0, 1).map(({ code, message }) => ({ code, message, files }));
    }),
  };
}

/** The schemas that steps name, with the ids of their storyboards. */
export function namedSchemas({ storyboards }: Bundle): ReadonlyMap<string, ReadonlySet<string>> {
  const named = new Map<string, Set<string>>();
  for (const { storyboard } of storyboards)
    for (const { responseSchema, requestSchema } of allSteps(storyboard))
      for (const schema of [responseSchema, requestSchema]) {
        if (schema === undefined) continue;
        const ids = named.get(schema) ?? new Set();
        named.set(schema, ids.add(storyboard.id));
      }
  return named;
}

/** Those that a set of schemas does not have. */
export function unknownSchemas(
  named: ReadonlyMap<string, ReadonlySet<string>>,
  schemas: SchemaSet | undefined,
): readonly NamedSchema[] {
  return [...named]
    .filter(([schema]) => schemas?.find(schema) === undefined)
    .map(([schema, ids]) => ({ schema, storyboards: [...ids].toSorted() }));
}
