export { reachable, session, signOut } from "./session";
export { SignInPage } from "./SignInPage";
export { mayOperate, usePrincipal } from "./usePrincipal";
