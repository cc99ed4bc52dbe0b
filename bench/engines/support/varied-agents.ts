import type { AgentDocument, SavedDocument } from '../../../src/domain/agent-document.ts';
import { syntheticAgents } from '../../synthetic-agents.ts';
import { randomNumbers } from './questions.ts';

const SYLLABLES = [
  'ad',
  'ber',
  'con',
  'dis',
  'el',
  'fin',
  'gra',
  'hol',
  'in',
  'ka',
  'lo',
  'me',
  'nor',
  'pa',
  're',
  'sti',
];
const VOCABULARY = 4_000;

/**
 * Synthetic agents that differ in more than their names: the texts of each are words of its own, as a codec would else
 * find the same sentences in all of them.
 */
export function* variedAgents(count: number, seed: number): Generator<SavedDocument> {
  const random = randomNumbers(seed);
  const words = Array.from({ length: VOCABULARY }, () => word(random));
  const text = (length: number) =>
    // the square makes some words far more frequent than others
    Array.from({ length }, () => words[Math.floor(random() ** 2 * VOCABULARY)]).join(' ');
  for (const saved of syntheticAgents(count)) {
    if (saved.document !== undefined) yield { ...saved, document: varied(saved.document, text) };
  }
}

function varied(document: AgentDocument, text: (length: number) => string): AgentDocument {
  const { base, capabilities } = document;
  const tools = capabilities?.tools.map((tool) => ({ ...tool, description: text(10) }));
  return {
    ...document,
    base: { ...base, name: text(3), description: text(30) },
    ...(capabilities && tools && { capabilities: { ...capabilities, tools } }),
  };
}

function word(random: () => number): string {
  const length = 2 + Math.floor(random() * 3);
  return Array.from({ length }, () => SYLLABLES[Math.floor(random() * SYLLABLES.length)]).join('');
}
