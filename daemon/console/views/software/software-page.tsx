import type { JSX } from 'preact';

import { linkTo, route } from '../../parts/route.ts';
import { fill } from '../../text/fill.ts';
import { SHELL } from '../../text/shell.ts';
import { SOFTWARE } from '../../text/software.ts';
import { AboutView } from './about-view.tsx';
import { BundlesView } from './bundles-view.tsx';
import { PackagesView } from './packages-view.tsx';

const SECTIONS = ['packages', 'bundles', 'about'] as const;

/** Packages, the bundles that they bring, and what the product says of itself. */
export function SoftwarePage(): JSX.Element {
  const section = SECTIONS.find((name) => name === route.value.parts[1]) ?? 'packages';
  return (
    <>
      <header>
        <h1>{fill(SHELL.software)}</h1>
        <nav class="sections" aria-label={fill(SHELL.software)}>
          {SECTIONS.map((name) => (
            <a
              key={name}
              href={linkTo(name === 'packages' ? ['software'] : ['software', name])}
              aria-current={name === section ? 'page' : undefined}
            >
              {fill(SOFTWARE[name])}
            </a>
          ))}
        </nav>
      </header>
      {section === 'packages' ? <PackagesView /> : undefined}
      {section === 'bundles' ? <BundlesView /> : undefined}
      {section === 'about' ? <AboutView /> : undefined}
    </>
  );
}
