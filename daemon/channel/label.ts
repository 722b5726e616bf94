import { HIDDEN_CHARACTER } from '../base/text/plain-text.ts';
import { z } from '../base/schema.ts';

function createText(maximumLength: number) {
  return z
    .string()
    .min(1)
    .max(maximumLength)
    .refine((text) => !HIDDEN_CHARACTER.test(text), 'expected visible characters')
    .optional();
}

/** The schemas of the texts that explain a thing to people; nothing depends on them. */
export const labelFields = {
  displayName: createText(128).describe('Display name'),
  description: createText(1000).describe('Description for display'),
};

/** The texts that explain a thing to people. */
export interface Label {
  readonly displayName?: string | undefined;
  readonly description?: string | undefined;
}

/** Returns the texts that a thing has; those that are not set have no key. */
export function labelOf({ displayName, description }: Label): Label {
  return {
    ...(displayName === undefined ? {} : { displayName }),
    ...(description === undefined ? {} : { description }),
  };
}
