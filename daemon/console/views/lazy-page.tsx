import type { ComponentType, JSX } from 'preact';

import { isTextTarget } from '../forms/change/edit-target.ts';
import { preloadCodeEditor } from '../forms/editor/use-code-editor-module.ts';
import { route } from '../parts/route.ts';
import { DEVICE_SETUP, isSetup } from './devices/setup.ts';
import { createLazyCode, MissingCode, useLazyCode } from './lazy-code.tsx';
import type { LazyCode } from './lazy-code.tsx';
import { findPage, PAGES } from './pages.ts';
import type { PageProps } from './pages.ts';

// By then the first page has its data; over a slow link, that takes a multiple of the time that its code took.
const AFTER_FIRST_PAGE_MS = 2000;
const AFTER_CODE = 4;

type PageCode = LazyCode<ComponentType<PageProps>>;

/** Views of all pages but the overview, by page. */
const PAGE_CODES: Readonly<Record<string, PageCode | undefined>> = {
  assets: createLazyCode(async () => (await import('./assets/assets-page.tsx')).AssetsPage),
  devices: createLazyCode(async () => (await import('./devices/devices-page.tsx')).DevicesPage),
  trends: createLazyCode(async () => (await import('./trends/trends-page.tsx')).TrendsPage),
  record: createLazyCode(async () => (await import('./record/record-page.tsx')).RecordPage),
  configuration: createLazyCode(
    async () => (await import('./configuration/configuration-page.tsx')).ConfigurationPage,
  ),
  access: createLazyCode(async () => (await import('./small-pages.ts')).AccessPage),
  north: createLazyCode(async () => (await import('./small-pages.ts')).NorthPage),
  software: createLazyCode(async () => (await import('./small-pages.ts')).SoftwarePage),
};

/**
 * Loads the code of the page that is opened first, and soon afterwards that of all others, one after the other. A later loss of
 * the gateway then makes none of them unavailable.
 */
export function loadLazyPagesSoon(): void {
  const { parts } = route.value;
  const first = findPage(parts);
  const start = performance.now();
  const loaded = first === undefined ? undefined : PAGE_CODES[first.name]?.load();
  // Over a slow link, one after the other would take the time of both.
  if (first?.name === 'configuration' && isTextTarget(parts)) void preloadCodeEditor();
  if (first?.name === 'devices' && isSetup(parts)) void DEVICE_SETUP.load();
  void Promise.resolve(loaded).then(() => {
    const pauseMs = Math.max(AFTER_FIRST_PAGE_MS, (performance.now() - start) * AFTER_CODE);
    setTimeout(() => void loadOthers(), pauseMs);
  });
}

async function loadOthers(): Promise<void> {
  for (const { name } of PAGES) await PAGE_CODES[name]?.load();
}

/** Page whose code is loaded on demand. */
export function LazyPage({ name, title }: PageProps & { readonly name: string }): JSX.Element {
  const code = PAGE_CODES[name];
  return code === undefined ? <></> : <LoadedPage code={code} title={title} />;
}

function LoadedPage({ code, title }: PageProps & { readonly code: PageCode }): JSX.Element {
  const { value: View, isMissing } = useLazyCode(code);
  if (View !== undefined) return <View title={title} />;
  if (!isMissing) return <></>;
  return (
    <>
      <header>
        <h1>{title}</h1>
      </header>
      <MissingCode />
    </>
  );
}
