/** Writes the generated tables of the pages: `npm run tables`. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { generatePages, ROOT } from './pages.ts';

for (const { page, current, expected } of await generatePages()) {
  if (current === expected) continue;
  writeFileSync(path.join(ROOT, page), expected);
  process.stdout.write(`${page}: updated\n`);
}
