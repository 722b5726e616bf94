import { isDeepStrictEqual } from 'node:util';

import type { TemplateContents, TemplateSet } from './asset-templates.ts';

/** Lists the templates whose content differs from the one in force; those that come or go are named by their assets. */
export function listTemplateChanges(before: TemplateContents, after: TemplateContents): readonly string[] {
  return Object.keys(after).filter(
    (name) => Object.hasOwn(before, name) && !isDeepStrictEqual(before[name], after[name]),
  );
}

/** Lists the templates that stay in force although they are no longer there as they were, in words. */
export function listTemplateWarnings({ keptNames }: TemplateSet): readonly string[] {
  return keptNames.map(
    (name) => `template "${name}" is gone, or its file has faults; its earlier content stays in force`,
  );
}
