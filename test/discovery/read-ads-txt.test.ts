import { expect, test } from 'vitest';
import { readAdsTxt } from '../../src/discovery/read-ads-txt.ts';

test.each([
  ['MANAGERDOMAIN=manager.example', 'manager.example'],
  ['managerdomain = Manager.Example', 'manager.example'],
  ['MANAGERDOMAIN=manager.example,US', 'manager.example'],
  ['MANAGERDOMAIN=manager.example # our partner', 'manager.example'],
  ['\uFEFFMANAGERDOMAIN=manager.example\r\n', 'manager.example'],
  ['MANAGERDOMAIN=first.example\nMANAGERDOMAIN=last.example', 'last.example'],
  ['MANAGERDOMAIN=keep.example\nMANAGERDOMAIN=skip.example #noagents', 'keep.example'],
  ['MANAGERDOMAIN=skip.example # NoAgents', undefined],
  ['MANAGERDOMAIN=keep.example\nMANAGERDOMAIN=https://x.example/', 'keep.example'],
  ['MANAGERDOMAIN=10.0.0.1', undefined],
  ['MANAGERDOMAIN=', undefined],
  ['# MANAGERDOMAIN=manager.example', undefined],
  ['OWNERDOMAIN=owner.example\nads.example, 1, DIRECT', undefined],
  ['', undefined],
])('%j names %s', (text, manager) => expect(readAdsTxt(text).manager).toBe(manager));
