import type { PlantedDefect } from './planted-defect.ts';

/** Defects of packages and their bundles. */
export const PACKAGE_DEFECTS: readonly PlantedDefect[] = [
  {
    name: 'package-stays-after-failed-start',
    file: 'daemon/software/deployment/package-change.ts',
    search: "await journal.write({ ...entry, direction: 'BACKWARD' });",
    replace: "await journal.write({ ...entry, direction: 'FORWARD' });",
    invariants: ['package-whole'],
  },
  {
    name: 'package-former-version-kept-after-upgrade',
    file: 'daemon/software/deployment/package-change.ts',
    search: 'await (to === undefined ? records.remove(name) : records.put(to));',
    replace: 'await (to === undefined ? records.remove(name) : records.put(from ?? to));',
    invariants: ['package-whole'],
  },
  {
    name: 'package-former-bundle-runs-after-upgrade',
    file: 'daemon/software/deployment/package-change.ts',
    search: 'if (from !== undefined) await bundles.stop(from);',
    replace: 'if (from !== undefined && to === undefined) await bundles.stop(from);',
    invariants: ['package-whole', 'bundle-restarted'],
  },
  {
    name: 'package-removed-bundle-runs',
    file: 'daemon/software/deployment/package-change.ts',
    search: 'if (from !== undefined) await bundles.stop(from);',
    replace: 'if (from !== undefined && to !== undefined) await bundles.stop(from);',
    invariants: ['package-whole', 'bundle-restarted'],
  },
  {
    name: 'package-only-first-bundle-started',
    file: 'daemon/software/deployment/package-bundles.ts',
    search: `      .filter((bundle) => bundle.main !== undefined && !this.#options.isDamaged(record, bundle))`,
    replace: `      .filter((bundle, index) => index === 0 && bundle.main !== undefined)`,
    invariants: ['package-whole'],
  },
  {
    name: 'package-data-of-bundle-lost-in-upgrade',
    file: 'daemon/software/deployment/operation/package-recovery.ts',
    search: 'return names.filter((symbolicName) => !kept.has(symbolicName));',
    replace: 'return names.filter((symbolicName) => kept.size > 0 || !kept.has(symbolicName));',
    invariants: ['package-whole', 'no-defect'],
  },
  {
    name: 'package-bundles-not-started-after-restart',
    file: 'daemon/software/deployment/operation/package-recovery.ts',
    search: 'bundles.startInBackground(record);',
    replace: '',
    invariants: ['package-whole'],
  },
  {
    name: 'bundle-crash-loop-never-stopped',
    file: 'daemon/software/bundle/restart-policy.ts',
    search: 'if (endsInRow >= CRASH_LOOP_ENDS) {',
    replace: 'if (endsInRow >= CRASH_LOOP_ENDS ** 9) {',
    invariants: ['bundle-restarted'],
  },
  {
    name: 'bundle-started-again-without-pause',
    file: 'daemon/software/bundle/restart-policy.ts',
    search: 'FIRST_DELAY_MS * 2 ** (endsInRow - 1)',
    replace: 'FIRST_DELAY_MS',
    invariants: ['bundle-restarted'],
  },
  {
    name: 'bundle-not-started-again',
    file: 'daemon/software/bundle/supervised-bundle.ts',
    search: `      this.#forgetRestart();
      this.#apply('PAUSED');`,
    replace: '      this.#forgetRestart();',
    invariants: ['package-whole', 'recovery', 'newest-value', 'bundle-restarted'],
  },
];
