//! Reads the structure of a tagged file: which content is a heading, a list item, or a table cell.
use std::collections::{HashMap, HashSet};

use hayro_interpret::hayro_syntax::Pdf;
use hayro_interpret::hayro_syntax::object::{Array, Dict, MaybeRef, Name, Object, ObjectIdentifier};

/// The structural element to which marked content belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Role {
    Heading { element: u32, level: u8 },
    Cell { element: u32, row: u32, table: u32 },
    Item { element: u32 },
    Other { element: u32 },
}

/// The structural element of all marked content, by page index and marked-content id.
pub(super) type Structure = HashMap<(usize, i32), Role>;

const DEEPEST: usize = 100;
const MOST_ELEMENTS: u32 = 500_000;

pub(super) fn read(pdf: &Pdf) -> Structure {
    let mut reader = Reader {
        pdf,
        pages: HashMap::new(),
        roles: None,
        read: Structure::new(),
        seen: HashSet::new(),
        last: 0,
    };
    for (number, page) in pdf.pages().iter().enumerate() {
        reader.pages.extend(page.raw().obj_id().map(|id| (id, number)));
    }
    let catalog: Option<Dict<'_>> = pdf.xref().get(pdf.xref().root_id());
    if let Some(root) = catalog.and_then(|catalog| catalog.get::<Dict<'_>>("StructTreeRoot")) {
        reader.roles = root.get("RoleMap");
        reader.children(
            &root,
            Inherited { owner: Role::Other { element: 0 }, page: None, row: 0, table: 0 },
            0,
        );
    }
    reader.read
}

#[derive(Clone, Copy)]
struct Inherited {
    owner: Role,
    page: Option<usize>,
    row: u32,
    table: u32,
}

struct Reader<'a> {
    pdf: &'a Pdf,
    pages: HashMap<ObjectIdentifier, usize>,
    roles: Option<Dict<'a>>,
    read: Structure,
    seen: HashSet<ObjectIdentifier>,
    last: u32,
}

impl<'a> Reader<'a> {
    fn children(&mut self, element: &Dict<'a>, around: Inherited, depth: usize) {
        if let Some(number) = element.get::<i32>("K") {
            self.content(number, around);
        } else if let Some(children) = element.get::<Array<'a>>("K") {
            for child in children.raw_iter() {
                self.child(child, around, depth);
            }
        } else if let Some(child) = element.get_raw::<Object<'a>>("K") {
            self.child(child, around, depth);
        }
    }

    fn child(&mut self, child: MaybeRef<Object<'a>>, around: Inherited, depth: usize) {
        let object = match child {
            MaybeRef::Ref(reference) => {
                let id: ObjectIdentifier = reference.into();
                if !self.seen.insert(id) {
                    return;
                }
                self.pdf.xref().get::<Object<'a>>(id)
            }
            MaybeRef::NotRef(object) => Some(object),
        };
        match object {
            Some(Object::Dict(element)) => self.element(&element, around, depth + 1),
            Some(number) => number.into_i32().into_iter().for_each(|number| self.content(number, around)),
            None => {}
        }
    }

    fn element(&mut self, element: &Dict<'a>, mut around: Inherited, depth: usize) {
        if depth > DEEPEST || self.last >= MOST_ELEMENTS {
            return;
        }
        if let Some(page) = element.get_ref("Pg") {
            around.page = self.pages.get(&page.into()).copied().or(around.page);
        }
        if let Some(number) = element.get::<i32>("MCID") {
            return self.content(number, around);
        }
        let Some(role) = element.get::<Name<'a>>("S").map(|role| self.known(role.as_str())) else { return };
        self.last += 1;
        let number = self.last;
        let in_block = matches!(around.owner, Role::Heading { .. } | Role::Cell { .. } | Role::Item { .. });
        match role.as_str() {
            "Table" => around.table = number,
            "TR" => around.row = number,
            "TD" | "TH" if around.table > 0 => {
                around.owner = Role::Cell { element: number, row: around.row, table: around.table };
            }
            "H" | "Title" if !in_block => around.owner = Role::Heading { element: number, level: 1 },
            "LI" => around.owner = Role::Item { element: number },
            heading if !in_block && is_heading(heading) => {
                let level = heading.as_bytes()[1] - b'0';
                around.owner = Role::Heading { element: number, level };
            }
            "Span" | "Link" | "Em" | "Strong" | "Sub" | "Annot" | "Reference" | "Code" | "Quote" => {}
            _ if !in_block => around.owner = Role::Other { element: number },
            _ => {}
        }
        self.children(element, around, depth);
    }

    fn content(&mut self, number: i32, around: Inherited) {
        if let Some(page) = around.page {
            self.read.insert((page, number), around.owner);
        }
    }

    /// Maps a custom role to the standard role that the file declares for it.
    fn known(&self, role: &str) -> String {
        let mapped = self.roles.as_ref().and_then(|roles| roles.get::<Name<'a>>(role.as_bytes()));
        mapped.map_or_else(|| role.to_owned(), |role| role.as_str().to_owned())
    }
}

fn is_heading(role: &str) -> bool {
    matches!(role, "H1" | "H2" | "H3" | "H4" | "H5" | "H6")
}
