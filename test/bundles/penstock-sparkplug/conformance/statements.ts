import { readFileSync } from 'node:fs';
import path from 'node:path';

/** Who has to keep a statement of the specification. */
export type Role = 'edge' | 'host' | 'server';

/** Lists the published identifiers of the statements, without `tck-id-`, of those that have a role to keep. */
export function listStatements(role: Role): readonly string[] {
  return readFileSync(path.join(import.meta.dirname, 'statements.txt'), 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [who = '', name = ''] = line.split(' ');
      return who === role ? [name] : [];
    });
}

/** Statements of edge nodes that no session can show, and why. */
export const WITHOUT_TEST: Readonly<Record<string, string>> = {
  'intro-edge-node-id-uniqueness':
    'One edge node cannot see the others. The default is the name of the gateway; choose names that are unique.',
  'topic-structure-namespace-unique-edge-node-descriptor':
    'One edge node cannot see the others. The default is the name of the gateway; choose names that are unique.',
  'payloads-nbirth-edge-node-descriptor':
    'One edge node cannot see the others. The default is the name of the gateway; choose names that are unique.',
  'topic-structure-namespace-duplicate-device-id-across-edge-node':
    'A permission: devices of several edge nodes may have the same name.',
};
