import { cp, chmod, lstat, lutimes, mkdir, readFile, readdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

import { COMPLETION_FILES, writeCompletion } from '../daemon/cli/completion/completion-script.ts';
import { COMMAND_GROUPS } from '../daemon/cli/command-groups.ts';
import { SCHEMA_DIRECTORY } from '../daemon/settings/editor-schema.ts';
import type { Architecture } from './architecture.ts';
import { buildBundlePackages } from './bundle-packages.ts';
import { listProgramModules } from './bundle-programs.ts';
import { buildConsole, layConsole, listBundledFolders } from './build-console.ts';
import { writeControl, writeDebianChangelog } from './debian-texts.ts';
import { readLicences, writeCopyright } from './copyright.ts';
import type { BundledLicences } from './copyright.ts';
import { layDataFiles } from './data-files.ts';
import { layPages } from './documentation.ts';
import { layEditorSchemas } from './editor-schemas.ts';
import { writeExampleConfiguration } from './example-configuration.ts';
import { writeDescription } from './interface-description.ts';
import {
  formatOptionsManual,
  formatSettingsManual,
  formatCommandPage,
  formatCommandsManual,
} from './manual-entries.ts';
import { copyModules, copyRuntime, installModules } from './production-modules.ts';
import type { Release } from './release.ts';
import { writeSoftwareBill } from './software-bill.ts';

export interface PackageTreeOptions {
  /** Folder of the project, whose programs are in `build/program`. */
  readonly root: string;
  /** Folder that becomes the content of the package. */
  readonly tree: string;
  /** Folder for what is needed on the way. */
  readonly work: string;
  readonly architecture: Architecture;
  readonly release: Release;
}

/** A file of the control part of a package. */
export interface ControlFile {
  readonly text: string;
  readonly mode: number;
}

const MAINTAINER_SCRIPTS = ['postinst', 'prerm', 'postrm'] as const;
const LIBRARY = 'usr/lib/penstock';
const UNITS = 'lib/systemd/system';
const UNIT_FILES = [
  'penstock.service',
  'penstock.socket',
  'penstock-restore.service',
  'penstock-backup.service',
  'penstock-backup.timer',
  'penstock-bundle@.service',
  'penstock-launcher@.service',
  'penstock-launcher.socket',
];
const DOCUMENTATION = 'usr/share/doc/penstock';
/** Directory in which the gateway searches device templates. */
const TEMPLATES = 'usr/share/penstock/templates';
/** Rules, dashboard and examples for those who watch gateways. */
const MONITORING = 'usr/share/penstock/monitoring';
const CONSOLE = 'usr/share/penstock/console';
/** Directory in which `penstock package install NAME` searches. */
const PACKAGES = 'usr/share/penstock/packages';
const CONFIGURATION = 'etc/penstock';

/**
 * Lays out every file of the package.
 *
 * @returns the files of its control part by name
 */
export async function buildTree(options: PackageTreeOptions): Promise<Readonly<Record<string, ControlFile>>> {
  const { root, tree, work, architecture, release } = options;
  const library = path.join(tree, LIBRARY);
  await layProgram(root, tree, library);
  const modules = await installModules(root, path.join(work, 'modules'), architecture);
  await copyModules(modules, library, architecture);
  await copyRuntime(modules, library, architecture);
  await buildConsole({ isForced: false });
  await layConsole(path.join(tree, CONSOLE));
  const inPrograms = await listProgramModules();
  const inConsole = await listBundledFolders();
  const inPackages = (await buildBundlePackages(path.join(tree, PACKAGES))).flatMap(
    ({ modules: each }) => each,
  );
  const bundled = [...new Set([...inPrograms, ...inConsole, ...inPackages])];
  const { installed } = modules;
  const bill = await writeSoftwareBill({ library, bundled, installed, architecture, release });
  await put(tree, `${DOCUMENTATION}/sbom.cdx.json`, bill);
  await layUnits(root, tree);
  await layConfiguration(tree);
  await layDataFiles(path.join(root, 'packaging/templates'), path.join(tree, TEMPLATES));
  await layDataFiles(path.join(root, 'packaging/monitoring'), path.join(tree, MONITORING));
  await layEditorSchemas(path.join(tree, SCHEMA_DIRECTORY));
  await layDocumentation(options, bill, {
    programs: await readLicences(inPrograms),
    console: await readLicences(inConsole),
    packages: await readLicences(inPackages),
  });
  await setTimes(tree, release.epochSeconds);
  const installedKib = Math.ceil((await measure(tree)) / 1024);
  const scripts = await Promise.all(
    MAINTAINER_SCRIPTS.map(async (name) => {
      const text = await readFile(path.join(root, 'packaging/debian', name), 'utf8');
      return [name, { text, mode: 0o755 }] as const;
    }),
  );
  return {
    ...Object.fromEntries(scripts),
    control: { text: writeControl({ architecture, version: release.version, installedKib }), mode: 0o644 },
    conffiles: { text: `/${CONFIGURATION}/penstock.yaml\n`, mode: 0o644 },
  };
}

async function layProgram(root: string, tree: string, library: string): Promise<void> {
  for (const folder of ['daemon', 'node_modules']) {
    await cp(path.join(root, 'build/program', folder), path.join(library, folder), { recursive: true });
  }
  await put(tree, `${LIBRARY}/package.json`, await writeProgramDescription(root));
  for (const name of ['penstockd', 'penstock', 'penstock-launcher']) {
    await put(tree, `${LIBRARY}/bin/${name}`, await readFile(path.join(root, 'systemd', name)), 0o755);
  }
  await link(tree, 'usr/sbin/penstockd', '../lib/penstock/bin/penstockd');
  await link(tree, 'usr/bin/penstock', '../lib/penstock/bin/penstock');
}

// Scripts and development modules mean nothing here.
async function writeProgramDescription(root: string): Promise<string> {
  const text = await readFile(path.join(root, 'package.json'), 'utf8');
  const { name, version, license, type } = JSON.parse(text) as Readonly<Record<string, unknown>>;
  return `${JSON.stringify({ name, version, license, type }, null, 2)}\n`;
}

async function layUnits(root: string, tree: string): Promise<void> {
  for (const name of UNIT_FILES) {
    await put(tree, `${UNITS}/${name}`, await readFile(path.join(root, 'systemd', name)));
  }
  await put(
    tree,
    'usr/lib/sysusers.d/penstock.conf',
    await readFile(path.join(root, 'systemd/penstock.sysusers')),
  );
}

async function layConfiguration(tree: string): Promise<void> {
  await put(tree, `${CONFIGURATION}/penstock.yaml`, writeExampleConfiguration(), 0o640);
  for (const folder of ['provision.d', 'tls']) {
    await mkdir(path.join(tree, CONFIGURATION, folder), { recursive: true });
  }
}

async function layDocumentation(
  { root, tree, work, release }: PackageTreeOptions,
  bill: string,
  licences: BundledLicences,
): Promise<void> {
  const changelog = await readFile(path.join(root, 'CHANGELOG.md'), 'utf8');
  await put(tree, `${DOCUMENTATION}/changelog.gz`, compress(writeDebianChangelog(changelog, release)));
  await put(tree, `${DOCUMENTATION}/copyright`, writeCopyright(bill, licences));
  await layPages(root, path.join(tree, DOCUMENTATION));
  const date = new Date(release.epochSeconds * 1000).toISOString().slice(0, 10);
  for (const group of COMMAND_GROUPS) {
    const { name, text } = formatCommandPage(group, { version: release.version, date });
    await put(tree, `usr/share/man/man1/${name}.1.gz`, compress(text));
  }
  for (const name of await readdir(path.join(root, 'packaging/man'))) {
    const section = name.slice(name.lastIndexOf('.') + 1);
    const page = await readFile(path.join(root, 'packaging/man', name), 'utf8');
    const text = page
      .replaceAll('@VERSION@', release.version)
      .replaceAll('@DATE@', date)
      .replaceAll('@SETTINGS@\n', formatSettingsManual())
      .replaceAll('@OPTIONS@\n', formatOptionsManual())
      .replaceAll('@COMMANDS@\n', formatCommandsManual());
    await put(tree, `usr/share/man/man${section}/${name}.gz`, compress(text));
  }
  for (const shell of ['bash', 'zsh', 'fish'] as const) {
    await put(tree, COMPLETION_FILES[shell], writeCompletion(shell, COMMAND_GROUPS));
  }
  await put(tree, `${DOCUMENTATION}/openapi.json`, await writeDescription(path.join(work, 'description')));
  const overrides = await readFile(path.join(root, 'packaging/debian/lintian-overrides'));
  await put(tree, 'usr/share/lintian/overrides/penstock', overrides);
}

// Without name and time in it, and at the level that the policy requires.
function compress(text: string): Buffer {
  return gzipSync(text, { level: 9 });
}

async function put(tree: string, file: string, content: string | Buffer, mode = 0o644): Promise<void> {
  const target = path.join(tree, file);
  await mkdir(path.dirname(target), { recursive: true });
  await writeFile(target, content, { mode });
  await chmod(target, mode);
}

async function link(tree: string, file: string, target: string): Promise<void> {
  await mkdir(path.dirname(path.join(tree, file)), { recursive: true });
  await symlink(target, path.join(tree, file));
}

async function setTimes(tree: string, epochSeconds: number): Promise<void> {
  for (const file of await listAll(tree)) {
    const status = await lstat(file);
    if (status.isDirectory()) await chmod(file, 0o755);
    else if (status.isFile() && (status.mode & 0o777) === 0o600) await chmod(file, 0o644);
    await lutimes(file, epochSeconds, epochSeconds);
  }
}

async function measure(tree: string): Promise<number> {
  const files = await listAll(tree);
  const sizes = await Promise.all(files.map(async (file) => (await lstat(file)).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function listAll(tree: string): Promise<readonly string[]> {
  const entries = await readdir(tree, { recursive: true });
  return [tree, ...entries.map((entry) => path.join(tree, entry))];
}
