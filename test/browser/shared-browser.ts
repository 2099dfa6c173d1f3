import { type Browser, chromium } from "playwright-core";
import { inject } from "vitest";
import type { TestProject } from "vitest/node";
import { CHROMIUM } from "./rig.ts";

declare module "vitest" {
  interface ProvidedContext {
    readonly browserEndpoint: string;
  }
}

/** Vitest runs this once, before the first file of the browser project. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await chromium.launchServer(CHROMIUM);
  project.provide("browserEndpoint", server.wsEndpoint());
  return () => server.close();
}

/** The browser that all test files share. To close it closes the caller's own pages only. */
export function connectBrowser(): Promise<Browser> {
  return chromium.connect(inject("browserEndpoint"));
}
