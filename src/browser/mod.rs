//! A browser, its pages, and actions on them: Browser, BrowserContext, Page, Frame, ElementHandle, Locator.
//!
//! Modules are listed in dependency order: each uses only the modules above it.
#[doc(hidden)]
pub mod injected;
pub mod input;
mod program;
mod egress;
mod options;
mod objects;
mod scripts;
mod elements;
mod traffic;
mod console;
mod emulate;
mod view;
mod modules;

pub use egress::client_certificate::ClientCertificate;
pub(crate) use egress::relay::{Relay, RelaySettings};
pub use egress::{policy, proxy};
pub use elements::captions::ActionCaptions;
pub use elements::{locator, selector};
pub use options::emulation;
#[cfg(feature = "install")]
pub use program::install;
pub use program::{find, launch};

pub use console::{
    ConsoleEntry, ConsoleEvent, ConsoleFilter, ConsoleLevel, ConsoleMessage, EntryKind, SourceLocation,
    StackFrame,
};
#[doc(hidden)]
pub use elements::action::{ElementAction, PressOptions};
pub use elements::actionability::{ACTION_LIMIT, ActionOptions};
#[doc(hidden)]
pub use elements::aria::{AriaTemplate, AriaTree, ExpectAriaOutcome};
#[doc(hidden)]
pub use elements::control::{ControlKind, ControlValue, TypingOutcome, parse_checked};
pub use elements::drag::{DragOptions, DragResult, DropPosition, ElementInDrag};
pub use elements::element::{ElementHandle, ElementState, FieldPicker, OptionChoice, PredictedPressEffect};
#[doc(hidden)]
pub use elements::expect::{ExpectOutcome, ExpectPropertyOutcome};
#[doc(hidden)]
pub use elements::fill::MultipleChoicePolicy;
pub use elements::locator_handler::{LocatorHandlerId, LocatorHandlerOptions};
#[doc(hidden)]
pub use elements::lost::{ElementSummary, PressFailure};
#[doc(hidden)]
pub use elements::matches::{Match, MatchResult};
#[doc(hidden)]
pub use elements::neighbours::AffectedPage;
#[doc(hidden)]
pub use elements::noted::{PerformedInput, PerformedInputs};
#[doc(hidden)]
pub use elements::record::{
    ActionRecording, BrowserNavigation, RecordedElementAction, RecordedUserAction, RecordingCallbacks,
    SecretKind,
};
#[doc(hidden)]
pub use elements::scroll::{Axis, ScrollArea, ScrollPosition};
pub use elements::settle::{
    ActionTarget, EffectWatcher, MovedElement, SettleEnd, SettleOptions, SettleResult,
};
#[doc(hidden)]
pub use elements::upload::OpenedFile;
#[doc(hidden)]
pub use elements::way::{ElementLocators, LocatorSpec};
pub use emulate::clock::ClockCommand;
#[doc(hidden)]
pub use emulate::ip_location::{DEFAULT_GEOLOCATION_SERVICE, IpLocation};
pub use emulate::storage::WebStorage;
#[doc(hidden)]
pub use objects::attached_browser::{UserBrowser, websocket_debugger_url};
#[doc(hidden)]
pub use objects::bound::BrowserServer;
pub use objects::browser::Browser;
pub use objects::context::{BrowserContext, ContextEvent};
pub use objects::download::{Download, DownloadState, move_to_folder, remove_unfinished_downloads};
pub use objects::frame::{Frame, LifecycleEvents};
#[doc(hidden)]
pub use objects::journal::{ActionEffects, JournalMark};
pub use objects::listeners::Listener;
pub use objects::navigation::{NavigateOptions, NavigationOutcome, WaitUntil};
pub use objects::network::{NetworkLog, RequestEntry};
pub use objects::page::{
    AnsweredDialog, Dialog, FileChooser, KeepPageLoadedGuard, Page, PageEvent, WeakPage,
};
#[doc(hidden)]
pub use objects::protocol::BrowserProtocol;
#[doc(hidden)]
pub use objects::pulse::HANG_TIMEOUT;
#[doc(hidden)]
pub use objects::raw::RawSession;
pub use objects::worker::{Worker, WorkerKind};
#[doc(hidden)]
pub use objects::world::{RemoteHandle, ScriptWorld, UtilityWorld, value_argument};
pub use options::FileUrlPolicy;
pub use options::devices::Device;
#[doc(hidden)]
pub use options::domains::DomainList;
#[doc(hidden)]
pub use options::hidden_texts::MaskedTexts;
pub use options::look::DeviceProfile;
pub use options::paper::Paper;
pub use options::permissions::PERMISSIONS;
pub use options::routing::{InterceptedUrls, UrlGlob};
pub use options::storage_state::{OpfsEntry, Passkey, StorageStateOptions};
pub use options::storage_state::{SameSite, StorageState, StoredCookie, StoredOrigin, WebStorageItem};
pub use options::{ContextOptions, HttpCredentials};
#[doc(hidden)]
pub use scripts::document::TagOptions;
#[doc(hidden)]
pub use scripts::evaluate::json_value;
#[doc(hidden)]
pub use scripts::exposed::{ExposedCall, ExposedFunction};
pub use scripts::handle::{JsHandle, Realm};
pub use scripts::init_script::InitScript;
#[doc(hidden)]
pub use scripts::offered::{WebMcpTool, webmcp_tool_changes};
pub use scripts::value::JsValue;
pub use traffic::api_request::{ApiBody, ApiContext, ApiOptions, ApiRequest, ApiResponse, MultipartField};
#[cfg(any(test, fuzzing))]
pub(crate) use traffic::archive::fuzz as fuzz_archive;
#[doc(hidden)]
pub use traffic::archive::{HarArchive, HarMatch, HarQuery};
#[cfg(any(test, fuzzing))]
pub(crate) use traffic::cookies::fuzz as fuzz_cookies;
#[doc(hidden)]
pub use traffic::cookies::parse as parse_set_cookie;
pub use traffic::har::{HarContentMode, HarEntry, HarRequest, HarResponse, HarTimings, iso_timestamp};
#[doc(hidden)]
pub use traffic::kept_answers::{ResponseStore, ResponseStoreOptions, StoredResponse};
#[doc(hidden)]
pub use traffic::observer::{BlockId, BlockRules, NetworkEvent};
pub use traffic::request::{Request, RequestSizes, RequestTiming, Response};
pub use traffic::route::{ABORT_REASONS, Fulfillment, RequestOverrides, Route, reason_phrase};
pub use traffic::socket::{WebSocket, WebSocketEvent, WebSocketMessage};
#[doc(hidden)]
pub use view::audit::{AccessibilityViolation, Styles, Vitals};
pub use view::capture::{CollapsedText, SnapshotTreeOptions, TextCount};
#[doc(hidden)]
pub use view::cast_frame::ScreencastImage;
pub use view::content::ContentFormat;
#[doc(hidden)]
pub use view::discard::DiscardOutcome;
#[doc(hidden)]
pub use view::dom_snapshot::DomSnapshot;
#[doc(hidden)]
pub use view::extract::{ExtractQuery, ExtractedRows, Row, Schema};
#[doc(hidden)]
pub use view::links::PageLinks;
pub use view::outlined::SnapshotOptions;
pub use view::pdf::PdfOptions;
#[doc(hidden)]
pub use view::picture::ScreenshotAdjustments;
#[doc(hidden)]
pub use view::profile::{CodeUsage, CoverageRecording, PerformanceTrace, ProfilingSession};
#[doc(hidden)]
pub use view::retouch::ScreenshotDiff;
pub use view::screencast::{Screencast, ScreencastOptions};
pub use view::screenshot::{Area, ImageFormat, Screenshot, ScreenshotOptions};
pub use view::video::{Video, VideoOptions};
