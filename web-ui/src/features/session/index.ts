export { reachable, session, signOut } from "./session";
export { SignInPage } from "./SignInPage";
export { mayStart, usePrincipal } from "./usePrincipal";
