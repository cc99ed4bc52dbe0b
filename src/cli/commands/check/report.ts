import { randomUUID } from 'node:crypto';
import { access, constants, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { RegistryError } from '../../../errors.ts';
import { plainText, printLine } from '../../output/print.ts';
import { againAsHere } from './again.ts';
import type { CheckFlags, ReportFormat } from './flags.ts';
import { junitReport } from './junit.ts';
import { markdownReport } from './markdown.ts';
import { type CheckReport, textLines } from './text.ts';

/** The format of `--format`, or of `--json`. Throws `usage` for both when they differ. */
export function formatOf({ format, json }: Pick<CheckFlags, 'format' | 'json'>): ReportFormat {
  if (json === true && format !== undefined && format !== 'json')
    throw new RegistryError('usage', `--json and --format ${format} cannot be combined`, {
      hint: 'use only one of the two',
    });
  return json === true ? 'json' : (format ?? 'text');
}

/** Prints the report: in its format on stdout, or as text when a file gets the format. */
export function printReport(report: CheckReport): void {
  const format = report.flags.output === undefined ? formatOf(report.flags) : 'text';
  if (format === 'text') for (const line of textLines(report)) printLine(line);
  else process.stdout.write(formatted(report, format));
}

function formatted(report: CheckReport, format: ReportFormat): string {
  switch (format) {
    case 'text':
      return `${plainText(textLines(report))}\n`;
    case 'json':
      return `${plainText([JSON.stringify(jsonOf(report), null, 2)])}\n`;
    case 'junit':
      return junitReport(report);
    case 'markdown':
      return markdownReport(report);
  }
}

/** As in schemas/cli/check.json. */
function jsonOf({ run, verdict, flags, recorded }: CheckReport) {
  const steps = run.steps.map((step) =>
    step.result === 'fail' ? { ...step, again: againAsHere(run.agent_url, step, flags) } : step,
  );
  return { ...run, steps, verdict, ...(recorded && { recorded }) };
}

/** Throws `usage` before a run whose report could not be written. */
export async function requireWritable(file: string): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  // a regular file is replaced, which its folder has to allow; a pipe or a device is written to
  const isReplaced = found === undefined || found.isFile();
  const target = isReplaced ? dirname(file) : file;
  const isFolder = (await stat(target).catch(() => undefined))?.isDirectory() === true;
  const isWritable = await access(target, constants.W_OK).then(
    () => true,
    () => false,
  );
  if (isFolder !== isReplaced || !isWritable) throw notWritable(file);
}

/** Writes the report in its format to a file, whole or not at all; to a pipe or a device as it is. */
export async function writeReport(report: CheckReport, file: string): Promise<void> {
  const text = formatted(report, formatOf(report.flags));
  const found = await stat(file).catch(() => undefined);
  if (found !== undefined && !found.isFile())
    return writeFile(file, text).catch((cause) => {
      throw notWritable(file, cause);
    });
  const target = found === undefined ? file : await realpath(file);
  const beside = join(dirname(target), `.${basename(target)}.${randomUUID()}`);
  try {
    await writeFile(beside, text, found === undefined ? {} : { mode: found.mode & 0o777 });
    await rename(beside, target);
  } catch (cause) {
    await rm(beside, { force: true }).catch(() => {}); // the first error is reported
    throw notWritable(file, cause);
  }
}

function notWritable(file: string, cause?: unknown): RegistryError {
  return new RegistryError('usage', `--output: cannot write ${file}`, {
    cause,
    hint: 'check the path and the permissions of its folder',
  });
}
