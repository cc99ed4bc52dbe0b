import { measure } from './bounds.ts';
import { type Issue, issuesOf, sizeIssue } from './issues.ts';
import type { TaskName } from './tasks.ts';
import { findShapeErrors } from './validators.ts';
import { VOCABULARY_NAMES } from './vocabulary.ts';

/*
 * Answers of agents of the public vocabulary, checked against the shapes in schemas/protocol/adcp: types, required fields,
 * enums, constants and forms. Lengths, patterns and unknown fields never matter (schemas/protocol/adcp/README.md).
 */

/** The name of a task there. */
export function publicTaskName(task: TaskName): string {
  const { proto, adcp } = VOCABULARY_NAMES;
  return task === proto.capabilitiesTask ? adcp.capabilitiesTask : task;
}

/**
 * Where an answer that reports success differs from the public shape of its task; empty when it follows it, undefined when
 * the public protocol has no such task. The answer is taken as it came, in either transport.
 */
export function checkPublicResponse(task: TaskName, payload: unknown): readonly Issue[] | undefined {
  return issuesIn(publicTaskName(task), payload);
}

/** Where the error of a refusal differs from the public shape of errors; empty when it follows it. */
export function checkPublicError(error: unknown): readonly Issue[] {
  return issuesIn('shapes.json#/$defs/error', error) ?? [];
}

function issuesIn(shape: string, payload: unknown): readonly Issue[] | undefined {
  const { problem, values } = measure(payload);
  if (problem !== undefined) return [sizeIssue(problem)];
  const errors = findShapeErrors(shape, payload, values);
  return errors && issuesOf(errors);
}
