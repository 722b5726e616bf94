import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { writeCompletion } from '../../daemon/cli/completion/completion-script.ts';
import type { CompletionShell } from '../../daemon/cli/completion/completion-script.ts';
import { COMMAND_GROUPS } from '../../daemon/cli/command-groups.ts';
import { createTemporaryDirectory } from './temporary-directory.ts';
import type { Owner } from './temporary-directory.ts';

const PROMPT = 'ready>';
// No shell writes these by itself.
const [START, BEFORE_WORD, END] = ['\x1d', '\x1e', '\x1f'];

/** A shell at a terminal, in which somebody types `penstock` and presses Tab. */
export interface TypingShell {
  /** Types a line, presses Tab and then Return; resolves with the words that `penstock` was run with. */
  complete(line: string): Promise<readonly string[]>;
}

/** Starts a shell at a terminal of its own, with the completion of `penstock`, and ends it with the test. */
export async function startTypingShell(
  t: Owner,
  shell: CompletionShell,
  names: readonly string[],
): Promise<TypingShell> {
  const directory = createTemporaryDirectory(t);
  writeProgram(directory, names);
  const { command, variables } = SHELLS[shell](directory, writeCompletion(shell, COMMAND_GROUPS));
  // Node.js opens no terminal; this program does, and is on every Debian.
  const child = spawn('script', ['--quiet', '--flush', '--return', '--command', command, '/dev/null'], {
    cwd: directory,
    env: {
      PATH: `${directory}:${process.env['PATH'] ?? ''}`,
      HOME: directory,
      TERM: 'dumb',
      LC_ALL: 'C.UTF-8',
      ...variables,
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = once(child, 'close');
  t.after(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  const find = async (text: string): Promise<void> => {
    while (!output.includes(text)) {
      await Promise.race([
        once(child.stdout, 'data'),
        ended.then(() => {
          throw new Error(`${shell} ended: ${output}`);
        }),
      ]);
    }
  };
  return {
    async complete(line) {
      await find(PROMPT);
      output = '';
      child.stdin.write(`${line}\t\r`);
      await find(END);
      const [run = '', rest = ''] = output.slice(output.indexOf(START) + 1).split(END);
      output = rest;
      return run.split(BEFORE_WORD).slice(1);
    },
  };
}

/** Writes a `penstock` that prints the names when it is asked, and else the words that it was run with. */
function writeProgram(directory: string, names: readonly string[]): void {
  writeFileSync(path.join(directory, 'names'), names.map((name) => `${name}\n`).join(''));
  const program = path.join(directory, 'penstock');
  writeFileSync(
    program,
    `#!/bin/sh
if [ "$1 $2" = "completion words" ]; then
  for typed; do :; done
  while IFS= read -r name; do
    case "$name" in "$typed"*) printf '%s\\n' "$name" ;; esac
  done < '${directory}/names'
else
  printf '\\035'
  printf '\\036%s' "$@"
  printf '\\037'
fi
`,
  );
  chmodSync(program, 0o755);
}

interface Started {
  readonly command: string;
  readonly variables: Readonly<Record<string, string>>;
}

const SHELLS: Readonly<Record<CompletionShell, (directory: string, completion: string) => Started>> = {
  bash(directory, completion) {
    const file = path.join(directory, 'rc');
    writeFileSync(file, `${completion}\nPS1='${PROMPT}'\nbind 'set enable-bracketed-paste off'\n`);
    return { command: `bash --noprofile --rcfile '${file}' -i`, variables: {} };
  },
  zsh(directory, completion) {
    writeFileSync(path.join(directory, '_penstock'), completion);
    writeFileSync(
      path.join(directory, '.zshrc'),
      `PS1='${PROMPT}'\nfpath=('${directory}' $fpath)\nautoload -U compinit\ncompinit -u -D\n`,
    );
    // Without the files of the machine, which may load other completions.
    return { command: 'zsh --no-global-rcs -i', variables: { ZDOTDIR: directory } };
  },
  fish(directory, completion) {
    const folder = path.join(directory, 'fish');
    mkdirSync(path.join(folder, 'completions'), { recursive: true });
    writeFileSync(path.join(folder, 'completions', 'penstock.fish'), completion);
    writeFileSync(
      path.join(folder, 'config.fish'),
      `function fish_prompt\n  printf '${PROMPT}'\nend\nset -g fish_greeting\nset -g fish_autosuggestion_enabled 0\n`,
    );
    return {
      command: 'fish -i',
      variables: { XDG_CONFIG_HOME: directory, XDG_DATA_HOME: path.join(directory, 'data') },
    };
  },
};
