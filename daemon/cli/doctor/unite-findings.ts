import type { Finding } from '../machine-checks.ts';

// Shorter than this, a line says nothing that is found twice only by one cause.
const LEAST_LENGTH = 12;

/**
 * Leaves one finding of each cause: the one that names it, without those that are its effects. What is said of several things of
 * one kind, such as ports, is one finding that names them all: `port 443, 8443`.
 */
export function uniteFindings(findings: readonly Finding[]): readonly Finding[] {
  const wrong = findings.filter(({ state }) => state === 'WRONG');
  const words = wrong.filter(({ check }) => check === 'daemon' || check === 'reload');
  const dropped = new Set<Finding>();
  const replaced = new Map<Finding, Finding>();
  for (const word of words) {
    const cause = wrong.find((each) => isOfFiles(each) && isSameReason(each.detail, word.detail));
    if (cause === undefined) continue;
    dropped.add(word);
    const effect =
      word.check === 'daemon'
        ? 'because of it the daemon does not run'
        : 'because of it the last reload failed';
    const { advice = '' } = word;
    replaced.set(cause, { ...cause, detail: `${cause.detail}; ${effect}`, advice });
  }
  for (const [index, each] of wrong.entries()) {
    const isEffect =
      wrong.slice(index + 1).some(({ detail }) => detail === each.detail) ||
      (each.check === 'audit' && wrong.some(({ check }) => check === 'audit chain')) ||
      (each.check === 'gateway' && words.some(({ check }) => check === 'daemon')) ||
      (each.check.startsWith('template ') && isNamed(reasonOf(each), wrong.filter(isOfFiles))) ||
      (each.check.startsWith('configuration ') &&
        isNamed(fileOf(each), [...words, ...wrong.filter(isOfFiles)]));
    if (isEffect) dropped.add(each);
    else if (!replaced.has(each)) replaced.set(each, nameAll(each, wrong));
  }
  return findings.filter((each) => !dropped.has(each)).map((each) => replaced.get(each) ?? each);
}

/** Names everything of the kind of a finding that another one says the same of. */
function nameAll(finding: Finding, others: readonly Finding[]): Finding {
  const [kind = ''] = finding.check.split(' ');
  const same = others.filter(
    ({ check, detail }) => detail === finding.detail && check.startsWith(`${kind} `),
  );
  const names = new Set(same.map(({ check }) => check.slice(kind.length + 1)));
  return names.size < 2 ? finding : { ...finding, check: `${kind} ${[...names].join(', ')}` };
}

function isOfFiles({ check }: Finding): boolean {
  return check === 'files' || check === 'configuration';
}

function isSameReason(cause: string, text: string): boolean {
  return cause
    .split('\n')
    .map((line) => line.trim())
    .some((line) => line.length >= LEAST_LENGTH && text.includes(line));
}

function fileOf({ check }: Finding): string {
  return check.slice('configuration '.length);
}

/** Without what follows from it. */
function reasonOf({ detail }: Finding): string {
  return detail.slice(0, detail.lastIndexOf('; '));
}

function isNamed(file: string, findings: readonly Finding[]): boolean {
  return findings.some(({ detail }) => detail.includes(file));
}
