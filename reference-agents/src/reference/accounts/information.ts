import type { AccountRecordMissingInformationItem } from '@agent-registry/surface/agent-kit';

/** What is asked of whom a seller bills without a contract, and in which form. */
interface Wanted {
  readonly field: string;
  readonly description: string;
  readonly form: RegExp;
  /** The form of what was sent, without what people put in for reading. */
  readonly tidy: (text: string) => string;
}

const WANTED: readonly Wanted[] = [
  {
    field: 'tax_number',
    description: 'the tax number of the brand: two-letter country code and 8 to 12 letters or digits',
    form: /^[A-Z]{2}[0-9A-Z]{8,12}$/,
    tidy: (text) => text.replaceAll(/[\s.-]/g, '').toUpperCase(),
  },
  {
    field: 'invoice_email',
    description: 'the e-mail address for invoices: name@domain',
    form: /^[^\s@]{1,64}@[^\s@]{1,180}\.[a-z]{2,20}$/,
    tidy: (text) => text.trim().toLowerCase(),
  },
];

/** No answer is longer, so longer ones are not looked at. */
const MAX_ANSWER = 300;

export interface Information {
  /** What was sent in the right form, now or before. */
  readonly taken: Readonly<Record<string, string>>;
  readonly missing: readonly AccountRecordMissingInformationItem[];
}

/** Only who is billed without an operator in between has to say more. */
export function informationOn(
  billing: string,
  sent: Readonly<Record<string, unknown>>,
  before: Readonly<Record<string, string>>,
): Information {
  if (billing !== 'brand') return { taken: before, missing: [] };
  const answers = WANTED.map((wanted) => ({ ...wanted, ...answerTo(wanted, sent, before) }));
  return {
    taken: Object.fromEntries(
      answers.flatMap(({ field, value }) => (value === undefined ? [] : [[field, value]])),
    ),
    missing: answers
      .filter(({ value }) => value === undefined)
      .map(({ field, description, malformed }) => ({
        field,
        description: `${malformed ? 'invalid format; send ' : ''}${description}`,
      })),
  };
}

interface Answer {
  readonly value: string | undefined;
  readonly malformed: boolean;
}

function answerTo(
  { field, form, tidy }: Wanted,
  sent: Readonly<Record<string, unknown>>,
  before: Readonly<Record<string, string>>,
): Answer {
  if (!Object.hasOwn(sent, field)) return { value: before[field], malformed: false };
  const given = sent[field];
  const value = typeof given === 'string' && given.length <= MAX_ANSWER ? tidy(given) : '';
  return form.test(value) ? { value, malformed: false } : { value: undefined, malformed: true };
}
