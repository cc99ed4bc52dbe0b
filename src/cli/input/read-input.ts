import { text } from 'node:stream/consumers';
import { readText } from '../settings.ts';

/** The text of a file that the user named, or of stdin for `-`. */
export function readInput(file: string): Promise<string> {
  return file === '-' ? text(process.stdin) : readText(file, file);
}
