import { z } from '../base/schema.ts';
import { fillSentence } from '../base/text/sentence.ts';
import type { NamesIn } from '../base/text/sentence.ts';
import { FINDING_SENTENCES } from './finding-sentences.ts';
import type { FindingCode } from './finding-sentences.ts';
import { faultReason } from './failure.ts';
import type { Shape } from './endpoint.ts';

/** Cause of a finding: its message, with the code of the error if there is one. */
const findingCause = z
  .strictObject({
    code: z.string().optional(),
    message: z.string(),
    reasons: z.array(faultReason).optional().describe('Sentences of the message by code, with their values'),
    german: z.string().optional().describe('Message in German, of a bundle that has one'),
    names: z.array(z.string()).optional().describe('Objects that the cause applies to'),
  })
  .meta({ id: 'FindingCause' });

/** A sentence of the gateway with its code and the values in it, for clients that have their own words. */
export const finding = z
  .strictObject({
    code: z.string(),
    message: z.string().describe('Sentence in English; contains the parameters and the causes'),
    parameters: z.record(z.string(), z.union([z.string(), z.number(), z.array(z.string())])),
    causes: z.array(findingCause).optional(),
  })
  .meta({ id: 'Finding' });

export type Finding = Shape<typeof finding>;
export type FindingCause = Shape<typeof findingCause>;

type Value = string | number | readonly string[];

/** Values that the sentence of a code names. */
type FindingParameters<Code extends FindingCode> = Readonly<
  Record<Exclude<NamesIn<(typeof FINDING_SENTENCES)[Code]>, 'causes'>, Value>
>;

/**
 * Creates a finding with its English sentence: lists are joined by commas, those of `{name&}` by "and".
 *
 * @param causes fill `{causes}`
 */
export function createFinding<Code extends FindingCode>(
  code: Code,
  parameters: FindingParameters<Code>,
  causes?: readonly FindingCause[],
): Finding {
  const values = Object.entries<Value>(parameters);
  const known = new Map(values);
  const message = fillSentence(FINDING_SENTENCES[code], (name, isAnd) => {
    if (name === 'causes') return describeCauses(causes ?? []);
    const value = known.get(name) ?? '';
    return typeof value === 'object' ? value.join(isAnd ? ' and ' : ', ') : String(value);
  });
  return { code, message, parameters, ...(causes === undefined ? {} : { causes }) };
}

function describeCauses(causes: readonly FindingCause[]): string {
  return causes
    .map(({ names, message }) => (names === undefined ? message : `${names.join(', ')}: ${message}`))
    .join('; ');
}
