import path from 'node:path';

import { YamlReader } from '../settings/yaml-reader.ts';
import { checkTemplate } from '../template/check-template.ts';
import { TemplateLibrary } from '../template/template-library.ts';
import { readTemplateFile } from '../template/template-file.ts';
import { SHIPPED_TEMPLATES } from '../template/template-places.ts';
import type { LocalInvocation } from './client-verb.ts';
import { CommandError, PartlyFailed } from './command-error.ts';
import { toPrintable } from './table.ts';

/** What the check of one file has found. */
interface CheckedFile {
  readonly file: string;
  readonly channels: number;
  readonly faults: readonly string[];
  /** What could not be checked here. */
  readonly note?: string;
}

/**
 * Checks template files, with those that they take over from the same folder or from the gateway.
 *
 * @throws {CommandError} `TEMPLATE_INVALID` when a file has faults
 * @throws {PartlyFailed} `TEMPLATE_INVALID` when only some have
 */
export async function checkFile({ words, show }: LocalInvocation): Promise<void> {
  const checked: CheckedFile[] = [];
  for (const file of words) checked.push(await check(file));
  show(checked, (all) => all.map(format).join(''));
  const failed = checked.filter(({ faults }) => faults.length > 0);
  if (failed.length === 0) return;
  const detail = `${failed.length} of ${checked.length} files cannot be used`;
  const options = { code: 'TEMPLATE_INVALID', detail };
  throw failed.length < checked.length ? new PartlyFailed(options) : new CommandError(options);
}

async function check(file: string): Promise<CheckedFile> {
  const yaml = new YamlReader();
  const read = await readTemplateFile(file, yaml);
  if (read.template === undefined) return { file, channels: 0, faults: read.faults };
  const { template } = read;
  const library = new TemplateLibrary({
    directories: [path.dirname(path.resolve(file)), ...SHIPPED_TEMPLATES],
    listPackagedFiles: () => Promise.resolve([]),
    yaml,
  });
  const loaded = await library.load([template.name], {});
  // Loaded here alone: every other command does without the drivers.
  const { createDriverFactories } = await import('../../drivers/index.ts');
  const { faults, channels, isDriverKnown } = checkTemplate(template, loaded, createDriverFactories());
  const note = `the addresses were not checked, because the driver ${template.driver} is not part of the gateway`;
  return { file, channels: channels.length, faults, ...(isDriverKnown ? {} : { note }) };
}

function format({ file, channels, faults, note }: CheckedFile): string {
  if (faults.length > 0) return faults.map((fault) => `${file}: ${toPrintable(fault)}\n`).join('');
  return `${file}: ${channels} channels with the default parameters${note === undefined ? '' : `; ${note}`}\n`;
}
