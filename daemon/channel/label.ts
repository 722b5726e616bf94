import { createReason, sayReason } from '../base/fault-reason.ts';
import { BASE_FAULTS } from '../base/fault-sentences.ts';
import { HIDDEN_CHARACTER } from '../base/text/plain-text.ts';
import { z } from '../base/schema.ts';

function createText(maximumLength: number) {
  return z
    .string()
    .min(1)
    .max(maximumLength)
    .refine(
      (text) => !HIDDEN_CHARACTER.test(text),
      sayReason(createReason(BASE_FAULTS, 'EXPECTED_VISIBLE', {})),
    )
    .optional();
}

/** Schemas of the descriptive texts of an object; nothing depends on them. */
export const labelFields = {
  displayName: createText(128).describe('Display name'),
  description: createText(1000).describe('Description for display'),
};

/** Descriptive texts of an object. */
export interface Label {
  readonly displayName?: string | undefined;
  readonly description?: string | undefined;
}

/** Returns the descriptive texts of an object, without keys for those that are not set. */
export function labelOf({ displayName, description }: Label): Label {
  return {
    ...(displayName === undefined ? {} : { displayName }),
    ...(description === undefined ? {} : { description }),
  };
}
