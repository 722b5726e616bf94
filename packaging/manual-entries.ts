import { VERBS } from '../daemon/cli/verbs.ts';
import { listSettings } from './example-configuration.ts';

/** Gives the settings as entries of a manual page (man(7)), from the schema that checks them. */
export function formatSettingsManual(): string {
  return listSettings()
    .map(({ path, node }) => {
      const value = node.default === undefined ? '' : ` (default: ${JSON.stringify(node.default)})`;
      return `.TP\n.B ${escape(path)}\n${escape(`${node.description ?? ''}${value}`)}\n`;
    })
    .join('');
}

/** Gives the verbs of the command line as entries of a manual page. */
export function formatVerbsManual(): string {
  return VERBS.map(({ name, summary }) => `.TP\n.B ${name}\n${escape(summary)}\n`).join('');
}

function escape(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('"', '\\(dq')
    .replace(/^([.'])/, '\\&$1');
}
