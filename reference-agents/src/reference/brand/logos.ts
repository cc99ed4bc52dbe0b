import type { Logo } from '@agent-registry/surface/agent-kit';
import { type AgentSpec, hostOf } from '../../agents/agent.ts';
import { file } from '../../web/file.ts';
import type { PageHandler, WebSite } from '../../web/web.ts';
import { escaped } from '../text/escape.ts';
import type { BrandIdentity } from './brand-table.ts';
import { brandsOf } from './find-brand.ts';

interface LogoForm {
  readonly file: string;
  readonly usage: string;
  readonly background: string;
  readonly width: number;
  readonly height: number;
}

const FORMS: readonly LogoForm[] = [
  { file: 'logo', usage: 'primary', background: 'light', width: 320, height: 96 },
  { file: 'logo-on-dark', usage: 'primary', background: 'dark', width: 320, height: 96 },
  { file: 'icon', usage: 'icon', background: 'any', width: 96, height: 96 },
];

/** The logos of a brand, each a picture on the host of the agent. */
export function logosOf(spec: AgentSpec, { id }: BrandIdentity): readonly Logo[] {
  return FORMS.map(({ file: name, usage, background, width, height }) => ({
    url: `https://${hostOf(spec)}/brands/${id}/${name}.svg`,
    usage,
    background,
    width,
    height,
  }));
}

/** The pages of a brand agent beside its protocol: `/brands/<brand>/<logo>.svg`. */
export function brandPages(spec: AgentSpec): WebSite {
  const pages = new Map<string, PageHandler>(
    brandsOf(spec).flatMap((brand) => FORMS.map((form) => logoPage(brand, form))),
  );
  return (path) => pages.get(path);
}

function logoPage(brand: BrandIdentity, form: LogoForm) {
  const page = file(svg(brand, form), { contentType: 'image/svg+xml' });
  return [`/brands/${brand.id}/${form.file}.svg`, page] as const;
}

function svg({ names, id, colors }: BrandIdentity, { usage, background, width, height }: LogoForm): string {
  const name = names.en ?? id;
  const ground = background === 'light' ? colors.background : colors.primary;
  const ink = background === 'light' ? colors.primary : colors.background;
  const text = usage === 'icon' ? name.slice(0, 1) : name;
  const size = usage === 'icon' ? 60 : Math.min(44, Math.floor((1.7 * (width - 40)) / name.length));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<title>${escaped(name)}</title>`,
    `<rect width="${width}" height="${height}" rx="8" fill="${ground}"/>`,
    `<text x="${width / 2}" y="${height / 2}" dy="0.35em" text-anchor="middle" font-family="serif" font-size="${size}" fill="${ink}">${escaped(text)}</text>`,
    '</svg>',
    '',
  ].join('\n');
}
